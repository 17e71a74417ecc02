import { randomUUID } from 'node:crypto';
import { failure, type Answered, type Fields } from './stripeAccounts';

interface Movable {
  id: string;
  amount: number;
  currency: string;
  status: string;
  created: number;
  metadata: Record<string, string>;
}

export interface StripeBooks {
  /** Movements that follow from no intent or refund of the stand-in. */
  more: Fields[];
  /** The ids of intents and refunds without a movement. */
  hidden: Set<string>;
  /** The extra age of each movement, in seconds. */
  agedSeconds: number;
  /** Writes a dispute and its movement. Returns the id of the dispute. */
  dispute(intent: Pick<Movable, 'id' | 'amount' | 'currency'>): string;
  /** The bank decides. A won dispute has a movement. */
  decideDispute(id: string, decision: 'won' | 'lost'): void;
  /** The disputes by id. */
  disputes: Map<string, Fields>;
  /** Writes a movement between the balance and the bank account. Below zero, the amount leaves the balance. Returns its id. */
  move(category: string, moved: Pick<Movable, 'amount' | 'currency'> & { id?: string; fee?: number }): string;
}

/** The balance transactions of the stand-in. Stripe takes 30 cents for each charge. */
export function createBooks() {
  const disputes = new Map<string, Fields>();
  const books: StripeBooks = {
    more: [],
    hidden: new Set(),
    agedSeconds: 2 * 3600,
    disputes,
    dispute({ id: intent, amount, currency }) {
      const id = `dp_${randomUUID()}`;
      const about = { id, object: 'dispute', amount, currency, payment_intent: intent, reason: 'fraudulent' };
      const evidence_details = { due_by: Math.floor(Date.now() / 1000) + 7 * 86_400 };
      const movements = { balance_transactions: [{ fee: 1500, currency }] };
      disputes.set(id, { ...about, status: 'needs_response', evidence_details, ...movements });
      books.more.push({ ...movement(`txn_${id}`, 'dispute', about), fee: 1500 });
      return id;
    },
    decideDispute(id, decision) {
      const known = disputes.get(id);
      if (!known) throw new Error(`there is no dispute ${id}`);
      disputes.set(id, { ...known, status: decision });
      if (decision === 'won') books.more.push(movement(`txn_${id}_won`, 'dispute_reversal', known));
    },
    move(category, { id = `po_${randomUUID()}`, amount, currency, fee = 0 }) {
      const about = { id, object: category, amount: Math.abs(amount), currency };
      const moved = { amount, fee, net: amount - fee };
      books.more.push({ ...movement(`txn_${randomUUID()}`, category, about), ...moved });
      return id;
    },
  };
  const movement = (id: string, reporting_category: string, source: Fields): Fields => ({
    id,
    object: 'balance_transaction',
    reporting_category,
    amount: source['amount'],
    currency: source['currency'],
    fee: reporting_category === 'charge' ? 30 : 0,
    net: source['amount'],
    created: Math.floor(Date.now() / 1000) - books.agedSeconds,
    source,
  });
  const list = (intents: Movable[], refunds: Fields[], { created }: Fields): Answered => {
    const since = Number((created as { gte?: string } | undefined)?.gte ?? 0);
    const paid = intents.filter(({ status, id }) => status === 'succeeded' && !books.hidden.has(id));
    const charges = paid.map(({ id, amount, currency, metadata }) =>
      movement(`txn_${id}`, 'charge', { id: `ch_${id}`, amount, currency, metadata, payment_intent: id }),
    );
    const given = refunds.filter(({ id }) => !books.hidden.has(String(id)));
    const back = given.flatMap((made) => [
      movement(`txn_${String(made['id'])}`, 'refund', made),
      ...(made['status'] === 'failed' ? [movement(`txn_${String(made['id'])}_back`, 'refund_failure', made)] : []),
    ]);
    const data = [...charges, ...back, ...books.more].filter((one) => Number(one['created']) >= since);
    return { status: 200, body: { object: 'list', data, has_more: false, url: '/v1/balance_transactions' } };
  };
  const retrieveDispute = (id: string): Answered => {
    const body = disputes.get(id);
    return body ? { status: 200, body } : failure(404, { type: 'invalid_request_error', message: 'No such dispute' });
  };
  /** The bank reads the first submission only. */
  const submitEvidence = (id: string): Answered => {
    const known = disputes.get(id);
    if (!known) return retrieveDispute(id);
    if (known['status'] !== 'needs_response')
      return failure(400, { type: 'invalid_request_error', message: 'This dispute takes no more evidence.' });
    disputes.set(id, { ...known, status: 'under_review' });
    return retrieveDispute(id);
  };
  return Object.assign(books, { list, retrieveDispute, submitEvidence });
}
