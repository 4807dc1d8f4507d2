"""One picture per group: how many times faster than the peer each row is, beside the ratio to reach; for growth, how the time per
unit changes."""
import matplotlib

matplotlib.use('Agg')
import matplotlib.pyplot as plt  # noqa: E402


def bars(rows, values, goals, title, label, path):
    fig, ax = plt.subplots(figsize=(10, 0.9 + 0.42 * len(rows)), constrained_layout=True)
    places = range(len(rows))[::-1]
    colours = ['#2a7f62' if goal is None or value >= goal else '#c8553d' for value, goal in zip(values, goals)]
    ax.barh(places, values, color=colours, height=0.62)
    for place, value, goal in zip(places, values, goals):
        ax.text(value * 1.04, place, '%.3gx' % value, va='center', fontsize=8)
        if goal is not None:
            ax.plot([goal, goal], [place - 0.4, place + 0.4], color='black', linewidth=1.6)
    ax.set_yticks(list(places), [r['name'] for r in rows], fontsize=8)
    ax.set_xscale('log')
    ax.axvline(1, color='grey', linewidth=0.8)
    ax.set_xlim(min(0.5, *values) * 0.8, max(2, *values, *[g or 1 for g in goals]) * 1.6)
    ax.set_xlabel(label, fontsize=9)
    ax.set_title(title, fontsize=10, loc='left')
    for edge in 'top', 'right':
        ax.spines[edge].set_visible(False)
    fig.savefig(path, dpi=130)
    plt.close(fig)


def draw(group, rows, path):
    """Writes the picture of a group; says whether there was anything to draw."""
    grown = [r for r in rows if 'tegula' in r.get('growth', {})]
    if grown:
        bars(grown, [r['growth']['tegula'] for r in grown], [r['keep'] for r in grown], group,
             "the smaller case's time per unit / this one's (black: to keep)", path)
        return True
    rows = [r for r in rows if 'ratio' in r]
    if rows:
        bars(rows, [r['ratio'] for r in rows], [r['reach'] for r in rows], group, "fastest peer's time / tegula's time (black: to reach)", path)
    return bool(rows)
