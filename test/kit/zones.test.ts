import { withInstants } from '../../src/kit/pages/zones';

const berlin = { '_zone.at': 'Europe/Berlin' };
const later = '2026-10-25T01:30:00.000Z';

test.each([
  ['the shown time', '2026-10-25T02:30:00', later, later],
  ['the shown time, as browsers shorten it', '2026-10-25T02:30', later, later],
  ['the shown day', '2026-10-25', later, later],
  ['another second', '2026-10-25T02:30:01', later, '2026-10-25T00:30:01.000Z'],
  ['another day', '2026-10-24', later, '2026-10-23T22:00:00.000Z'],
  ['a part of the day', '2026-10', later, '2026-10'],
  ['no time', '', later, ''],
  ['an instant that is none', '2026-10-25T02:30', '2026-10-25T25:00:00Z', '2026-10-25T00:30:00.000Z'],
  ['an instant in another form', '2026-10-25T02:30', '1792891800', '2026-10-25T00:30:00.000Z'],
  ['a list of instants', '2026-10-25T02:30', [later], '2026-10-25T00:30:00.000Z'],
  ['no instant', '2026-10-25T02:30', undefined, '2026-10-25T00:30:00.000Z'],
])('%s: %s', (_what, at, shown, expected) => {
  expect(withInstants({ at, ...berlin, '_instant.at': shown })).toEqual({ at: expected });
});

test('an instant without a zone changes nothing', () => {
  expect(withInstants({ at: '2026-10-25T02:30:00', '_instant.at': later })).toEqual({ at: '2026-10-25T02:30:00' });
});
