import { type Pool } from 'pg';
import { until } from './until';
import { queryBooks } from './providerBooks';

interface BooksRow {
  id: number;
  merchant_id: number;
  state: string;
  provider_charges: { key: string; reference: string; amount: number }[];
  our_charges: { key: string; reference: string; amount: number }[];
  accesses: number;
  open_accesses: number;
  events: string[];
  transitions: number[];
  /** Of renewals: a change of plans that is declined leaves the subscription as it was. */
  declines: number;
}

const paidBy = (table: string, condition: string) => `
  SELECT coalesce(jsonb_agg(jsonb_build_object('key', idempotency_key, 'reference', reference, 'amount', amount_minor)
    ORDER BY idempotency_key), '[]') FROM ${table} WHERE status = 'paid' AND ${condition}`;

// A payment on another page gives its card another token, so its first charge is found by its key.
const ofCustomer = `(token IN (SELECT token FROM cards WHERE account_id = s.account_id)
  OR left(idempotency_key, length(s.token)) = s.token)`;

const booksQuery = `
  SELECT s.id, s.merchant_id, s.state,
    (${paidBy('sandbox_charges', ofCustomer)}) AS provider_charges,
    (${paidBy('charges', 'subscription_id = s.id')}) AS our_charges,
    (SELECT count(*)::int FROM accesses WHERE source = 'subscription' AND source_id = s.id) AS accesses,
    (SELECT count(*)::int FROM accesses WHERE source = 'subscription' AND source_id = s.id AND revoked_at IS NULL
      AND starts_at <= merchant_now(s.merchant_id)
      AND expires_at > coalesce(s.ended_at, merchant_now(s.merchant_id))) AS open_accesses,
    (SELECT coalesce(array_agg(type ORDER BY sequence), '{}') FROM events
      WHERE merchant_id = s.merchant_id AND dedupe_key LIKE s.token || ':%') AS events,
    (SELECT array_agg(sequence ORDER BY sequence) FROM subscription_events WHERE subscription_id = s.id) AS transitions,
    (SELECT count(*)::int FROM subscription_events WHERE subscription_id = s.id AND reason LIKE 'declined: %'
      AND to_state IN ('past_due', 'on_hold')) AS declines
  FROM subscriptions s WHERE s.token = $1`;

const expectedEvents: Record<string, string[]> = {
  incomplete_expired: ['subscribe.failed'],
  active: ['access.granted', 'subscribe.success'],
  expired: ['access.granted', 'subscribe.success', 'access.revoked', 'subscribe.expired'],
};

/** The expected result of a longer subscription. */
export interface Expected {
  /** How many charges were paid. */
  charged: number;
  events: string[];
}

const livingStates = ['trialing', 'active', 'past_due'];

/**
 * The faults of a subscription in all books: the provider's ledger, our charges, access and events. By default it is a subscription
 * whose first payment has ended. The consumer's cards must have paid for nothing else.
 * Waits until nothing is left for the workflow in the outbox.
 */
export async function findFaults(pool: Pool, token: string, expected?: Expected): Promise<string[]> {
  await until(() => isSent(pool, token));
  const { rows } = await queryBooks<BooksRow>(pool, booksQuery, [token]);
  const [row] = rows;
  if (!row) return ['there is no such subscription'];
  const { state, provider_charges: theirs, our_charges: ours } = row;
  const due = expected?.charged ?? (state === 'incomplete_expired' ? 0 : 1);
  const events = expected?.events ?? expectedEvents[state];
  const given = state === 'incomplete_expired' ? 0 : 1;
  const told = row.events.filter((type) => type !== 'subscribe.requires.action' && type !== rebillFailed);
  const rebills = row.events.filter((type) => type === rebillFailed).length;
  const faults: [boolean, string][] = [
    [events === undefined, `the subscription is ${state}`],
    [theirs.length !== due, `the card was charged ${theirs.length} times, not ${due}`],
    [JSON.stringify(theirs) !== JSON.stringify(ours), 'our charges are not the provider’s'],
    [row.accesses !== given, `${row.accesses} accesses were given, not ${given}`],
    [row.open_accesses !== (livingStates.includes(state) ? 1 : 0), `${row.open_accesses} accesses are open`],
    [JSON.stringify(told) !== JSON.stringify(events), `told: ${told.join(', ')}`],
    [rebills !== row.declines, `${rebills} of ${row.declines} declined renewals were told`],
    [!isWithoutHoles(row.transitions), `transitions: ${row.transitions.join(', ')}`],
    [!isWithoutHoles(await readSequence(pool, row.merchant_id)), 'the merchant’s events have holes'],
  ];
  return faults.filter(([isFault]) => isFault).map(([, fault]) => fault);
}

/** Published for each attempt, however many a month of this length has. */
const rebillFailed = 'subscription.rebill.failed';

/** Whether the workflow has processed all messages of the outbox. It can be faster than the row that says so. */
async function isSent(pool: Pool, token: string): Promise<boolean> {
  const { rows } = await pool.query('SELECT 1 FROM outbox WHERE workflow_id = $1', [`subscription-${token}`]);
  return rows.length === 0;
}

/** The places of a merchant's events, in order. */
export async function readSequence(pool: Pool, merchantId: number): Promise<number[]> {
  const text = 'SELECT sequence::int FROM events WHERE merchant_id = $1 ORDER BY sequence';
  const { rows } = await pool.query<{ sequence: number }>(text, [merchantId]);
  return rows.map(({ sequence }) => sequence);
}

export function isWithoutHoles(places: number[]): boolean {
  return places.every((place, index) => place === index + 1);
}
