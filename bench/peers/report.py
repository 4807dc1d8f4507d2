"""Results as tables, as JSON, and as the difference of two runs."""
import json

from .rows import compare, reached


def quantity(value, unit='s'):
    if value is None:
        return ''
    if unit == 'bytes':
        return size(value)
    for factor, name in ((1, 's'), (1e-3, 'ms'), (1e-6, 'us')):
        if value >= factor:
            return '%.3g %s' % (value / factor, name)
    return '%.3g ns' % (value / 1e-9)


def size(value):
    if not value:
        return ''
    for factor, name in ((1 << 30, 'GiB'), (1 << 20, 'MiB'), (1 << 10, 'KiB')):
        if value >= factor:
            return '%.3g %s' % (value / factor, name)
    return '%d B' % value


def ratio(value):
    return '' if value is None else '%.3gx' % value


def spread(side):
    """How far the median is from the best."""
    return '' if 'best' not in side or not side['best'] else '+%.0f%%' % (100 * (side['median'] / side['best'] - 1))


def trouble(row):
    """What kept a row from being measured or trusted."""
    texts = ['%s: %s' % (name, s['error']) for name, s in row['sides'].items() if 'error' in s]
    texts += ['%s differs: %s' % (name, s['differs']) for name, s in row['sides'].items() if 'differs' in s]
    return '; '.join(texts)


VERDICT = {True: 'yes', False: 'NO', None: ''}


def columns(rows):
    """(heading, text of a row), only what some row has."""
    def tegula(row):
        return row['sides']['tegula']

    def peer(row):
        return row['sides'].get(row.get('peer'), {})
    every = [
        ('workload', lambda r: r['name']),
        ('tegula', lambda r: quantity(tegula(r).get('best'), r['unit'])),
        ('spread', lambda r: '' if r['unit'] == 'bytes' else spread(tegula(r))),
        ('peer', lambda r: peer(r).get('label', '')),
        ('its time', lambda r: quantity(peer(r).get('best'), r['unit'])),
        ('spread ', lambda r: '' if r['unit'] == 'bytes' else spread(peer(r))),
        ('ratio', lambda r: ratio(r.get('ratio'))),
        ('to reach', lambda r: ratio(r['reach'])),
        ('per unit', lambda r: ratio(r.get('growth', {}).get('tegula'))),
        ('peer per unit', lambda r: ratio(r.get('growth', {}).get(r.get('peer')))),
        ('to keep', lambda r: ratio(r['keep'])),
        ('reached', lambda r: VERDICT[reached(r)]),
        ('same result', lambda r: 'yes' if r['agree'] and not trouble(r) else 'NO' if not r['agree'] else '?'),
        ('memory', lambda r: '' if r['unit'] == 'bytes' else '%s / %s' % (size(tegula(r).get('peak')), size(peer(r).get('peak')))),
        ('read', lambda r: '' if r['unit'] == 'bytes' else '%s / %s' % (size(tegula(r).get('read')), size(peer(r).get('read')))),
    ]
    return [(heading, text) for heading, text in every if any(text(r).strip(' /') for r in rows)]


def table(rows):
    """Markdown, aligned so that it reads well in a terminal, too."""
    shown = columns(rows)
    lines = [[heading.strip() for heading, _ in shown]] + [[text(r) for _, text in shown] for r in rows]
    widths = [max(3, *(len(line[c]) for line in lines)) for c in range(len(shown))]
    text = [' | '.join(cell.ljust(w) for cell, w in zip(line, widths)) for line in lines]
    text.insert(1, ' | '.join('-' * w for w in widths))
    out = '\n'.join('| %s |' % line for line in text)
    notes = ['- %s: %s' % (r['name'], trouble(r)) for r in rows if trouble(r)]
    return out + ('\n\n' + '\n'.join(notes) if notes else '')


def summary(rows):
    verdicts = [reached(r) for r in rows]
    return '%d of %d ratios reached; %d rows with results that differ' % (
        verdicts.count(True), len([v for v in verdicts if v is not None]), len([r for r in rows if not r['agree']]))


def save(path, machine, rows):
    with open(path, 'w') as file:
        json.dump({'machine': machine, 'rows': rows}, file, indent=1)


def load(path):
    with open(path) as file:
        return json.load(file)


def comparison(old, new, tolerance):
    """Lines on how tegula's figures changed, and whether something became worse."""
    changes = compare(old['rows'], new['rows'], tolerance)
    lines = []
    for row, was, times, by, worse in changes:
        text = trouble(row) if times == 0 else '%s -> %s, %.2fx by %s' % (
            quantity(was['sides']['tegula']['best'], row['unit']), quantity(row['sides']['tegula']['best'], row['unit']), times, by)
        lines.append('%-5s %s: %s: %s' % ('WORSE' if worse else '', row['group'], row['name'], text))
    return lines, any(worse for *_, worse in changes)
