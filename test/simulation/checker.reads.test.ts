import { first, inBooks, violationsAfter, type Change } from './changes';
import { type Entry, type Told } from './history';

/** The rules about answers to reads, and the order of the changes and reads of a subscription. */

/** Another request at the end of the example, with its answer. */
const asked =
  (what: string, fields: object, { status = 200, body = {} }: { status?: number; body?: Told } = {}): Change =>
  ({ entries }) => {
    const attempt = { actor: 'consumer 1', operation: 50 + entries.length, attempt: 1 };
    entries.push({ kind: 'sent', ...attempt, what, method: 'GET', path: `/${what}`, fields } as Entry, {
      kind: 'answered',
      ...attempt,
      status,
      body,
    });
  };

const all =
  (...changes: Change[]): Change =>
  (example) =>
    changes.forEach((change) => change(example));

const subscription = 'S-1';
const sees = (view: Partial<Told>) => asked('view', { subscription }, { body: { ...viewed, ...view } });
const viewed = { status: 'active', cancel_at_period_end: true, access_fee_id: 11, pending_access_fee_id: 0 };
const resumes = (status = 200) => asked('resume', { subscription }, { status });
const switches = (fee: number, status = 200) => asked('switch', { subscription, fee }, { status });
const ends = inBooks(({ subscriptions, revenue, customers }) => {
  first(subscriptions, { state: 'canceled', openAccesses: 0 });
  first(revenue, { ledgerMinor: 0, monthlyMinor: 0 });
  first(customers, { mrrMinor: 0 });
});
const isAtTheEnd = (row: object) => inBooks(({ subscriptions }) => first(subscriptions, row));

test.each<[string, Change]>([
  [
    'a canceled subscription is resumed',
    all(resumes(), sees({ cancel_at_period_end: false }), isAtTheEnd({ isRenewing: true })),
  ],
  ['a resumption that waits for a worker has no effect yet', all(resumes(202), sees({}))],
  [
    'another plan takes effect at once',
    all(
      resumes(),
      switches(12),
      sees({ cancel_at_period_end: false, access_fee_id: 12 }),
      isAtTheEnd({ isRenewing: true, feeId: 12 }),
    ),
  ],
  [
    'another plan waits for the next period, and takes effect then',
    all(
      resumes(),
      switches(12),
      sees({ cancel_at_period_end: false, pending_access_fee_id: 12 }),
      isAtTheEnd({ isRenewing: true, feeId: 12 }),
    ),
  ],
  ['the subscription ends', all(sees({ status: 'canceled' }), ends)],
  ['a check of an item that was not bought is refused', asked('check', { item: 2 }, { status: 403 })],
])('no violation: %s', (_, change) => expect(violationsAfter(change)).toEqual([]));

const noOrder = 'one order: no order of the requests explains the answers about the subscription S-1';

test.each<[string, Change]>([
  [noOrder, sees({ cancel_at_period_end: false })],
  [noOrder, sees({ access_fee_id: 12 })],
  [noOrder, sees({ pending_access_fee_id: 12 })],
  [noOrder, sees({ status: 'expired' })],
  [noOrder, all(ends, sees({ status: 'canceled' }), sees({}))],
  [noOrder, resumes()],
  [noOrder, switches(12)],
  [noOrder, all(resumes(), switches(12), isAtTheEnd({ isRenewing: true }))],
  [noOrder, isAtTheEnd({ feeId: 12 })],
  ['answers: operation 93 was answered 500', asked('check', { item: 1 }, { status: 500 })],
  ['answers: the list of consumer 1 does not have S-1', asked('list', {}, { body: { listed: [] } })],
  ['answers: consumer 1 has access to item 2 without a purchase', asked('check', { item: 2 })],
])('%s', (violation, change) =>
  expect(violationsAfter(change).map((text) => text.replace(/operation \d+/, 'operation 93'))).toContain(violation),
);
