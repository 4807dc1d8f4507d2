"""What is made of the figures: ratios, verdicts, and the difference of two runs."""
import statistics


def make(group, workload, sides, differ):
    """A row of the results. `sides` hold the `values` of each library, and get their `best` and `median`."""
    for side in sides.values():
        if side.get('values'):
            side['best'], side['median'] = min(side['values']), statistics.median(side['values'])
    row = {'group': group, 'name': workload.name, 'reach': workload.reach, 'keep': workload.keep, 'reference': workload.reference,
           'amount': workload.amount, 'unit': workload.unit, 'sides': sides, 'agree': not differ}
    peers = {name: s['best'] for name, s in sides.items() if name != 'tegula' and 'best' in s}
    rivals = {n: b for n, b in peers.items() if n not in workload.limits} or peers
    if rivals:
        row['peer'] = min(rivals, key=rivals.get)
        if 'best' in sides['tegula']:
            row['ratio'] = rivals[row['peer']] / sides['tegula']['best']
    return row


def add_growth(row, earlier):
    """The reference's time per amount over this row's, for each side."""
    reference = next((r for r in earlier if r['group'] == row['group'] and r['name'] == row['reference']), None)
    if reference:
        row['growth'] = {name: (reference['sides'][name]['best'] / reference['amount']) / (side['best'] / row['amount'])
                         for name, side in row['sides'].items() if 'best' in side and 'best' in reference['sides'].get(name, {})}


def reached(row):
    """True, False, or None where nothing is to be reached. What could not be measured or differs is not reached."""
    verdicts = []
    if row['reach'] is not None:
        verdicts.append(row.get('ratio', 0) >= row['reach'])
    if row['keep'] is not None:
        verdicts.append(row.get('growth', {}).get('tegula', 0) >= row['keep'])
    return row['agree'] and all(verdicts) if verdicts else None if row['agree'] else False


def change(was, row):
    """How many times better a row is than it was, and by what that is judged: by the ratio to the peer where there is one, since
    the peer's own change is the machine's."""
    if 'ratio' in was and 'ratio' in row and was['peer'] == row['peer']:
        return row['ratio'] / was['ratio'], 'ratio to ' + row['sides'][row['peer']]['label']
    return was['sides']['tegula']['best'] / row['sides']['tegula']['best'], 'time'


def compare(old, new, tolerance):
    """[(row, its earlier self, how many times better, judged by, whether it is worse)] of the rows both runs measured. A row that
    was measured, or agreed, only in the earlier run is worse."""
    before = {(r['group'], r['name']): r for r in old}
    out = []
    for row in new:
        was = before.get((row['group'], row['name']))
        if not was or 'best' not in was['sides']['tegula']:
            continue
        if 'best' not in row['sides']['tegula'] or (was['agree'] and not row['agree']):
            out.append((row, was, 0, 'result', True))
        else:
            times, by = change(was, row)
            out.append((row, was, times, by, times < 1 - tolerance))
    return out
