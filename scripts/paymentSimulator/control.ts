import { z } from 'zod';
import { type WireDispute } from '../../src/adapters/cardProviders/sandboxWire';
import { type OpenAccount } from './accounts';
import { bookNames } from './books';
import { faultKinds } from './faults';
import { type Answer, type ReceivedRequest } from './server';
import { sandboxOutcomes } from './testCards';

/** Commands of developers and tests, which no real provider has: JSON under `/simulator`, with the account's key. */

const Fault = z.object({
  kind: z.enum(faultKinds),
  on: z.string().optional(),
  times: z.int().min(1).default(1),
  lateMs: z.int().min(0).max(600_000).default(10_000),
});
const Outcome = z.object({ token: z.string(), outcome: z.enum(sandboxOutcomes) });
const Named = z.object({ reference: z.string() });
const PlannedCharge = z.object({ key: z.string(), like: z.string(), reference: z.string() });
const Payout = z.object({ currency: z.string().regex(/^[A-Z]{3}$/), amountMinor: z.int().optional() });
const Hours = z.object({ hours: z.int().min(1) });

const Dispute = z.object({
  reference: z.string(),
  reason: z.string().default('fraudulent'),
  amountMinor: z.int().optional(),
});
const Decision = z.object({ reference: z.string(), status: z.enum(['won', 'lost']) });
const ReplacedCard = z.object({
  token: z.string(),
  number: z.string(),
  expiryMonth: z.int().min(1).max(12),
  expiryYear: z.int().min(2000).max(9999),
});
const Restriction = z.object({ isRestricted: z.boolean() });
const Address = z.object({ url: z.url().nullable() });
const Deliveries = z.object({ ids: z.array(z.string()) });

type Handler = (account: OpenAccount, fields: unknown) => object | Promise<object>;

/** The bank reports the new state of a dispute. */
function reportDispute({ notifications }: OpenAccount, dispute: WireDispute): WireDispute {
  notifications.publish({ about: 'dispute', reference: dispute.chargeReference, dispute });
  return dispute;
}

const handlers: Record<string, Handler> = {
  'GET account': ({ id }) => ({ id }),
  /** All tables of the account, for comparisons with the books of the service. */
  'GET books': ({ books }) =>
    Object.fromEntries(bookNames.map((name) => [name, books.query(`SELECT * FROM ${name} ORDER BY rowid`)])),
  'POST faults': ({ faults }, fields) => {
    faults.plan(Fault.parse(fields));
    return {};
  },
  'DELETE faults': ({ faults }) => {
    faults.end();
    return {};
  },
  /** The bank changes its mind about a card. */
  'POST outcomes': ({ account }, fields) => {
    const { token, outcome } = Outcome.parse(fields);
    account.setOutcome(token, outcome);
    return {};
  },
  /** The payer approves what waits, also while absent. */
  'POST approvals': ({ account, books, notifications }, fields) => {
    const { reference } = Named.parse(fields);
    books.query(`UPDATE charges SET status = 'requires_action' WHERE reference = $1 AND status = 'awaits_payer'`, [
      reference,
    ]);
    account.answerAuthentication(reference, 'approved');
    notifications.publish({ about: 'charge', reference });
    return {};
  },
  /** The bank of the payer takes a charge back. */
  'POST disputes': (open, fields) => reportDispute(open, open.account.disputes.open(Dispute.parse(fields))),
  'POST dispute-decisions': (open, fields) => {
    const { reference, status } = Decision.parse(fields);
    return reportDispute(open, open.account.disputes.decide(reference, status));
  },
  /** The card network reports a charge as probably fraudulent. */
  'POST fraud-warnings': ({ notifications }, fields) => {
    notifications.publish({ about: 'fraud_warning', reference: Named.parse(fields).reference });
    return {};
  },
  /** The bank replaces a stored card, by the token of the card and the number of another test card. */
  'POST card-updates': ({ account, notifications }, fields) => {
    const card = account.updateCard(ReplacedCard.parse(fields));
    notifications.publish({ about: 'card', reference: '', card });
    return card;
  },
  'POST expired-form-tokens': ({ account }) => {
    account.formTokens.expire();
    return {};
  },
  'POST restrictions': ({ faults }, fields) => {
    faults.isRestricted = Restriction.parse(fields).isRestricted;
    return {};
  },
  /** Where notifications are sent from now on. `null`: they are only stored. */
  'POST notification-address': ({ notifications }, fields) => {
    notifications.address = Address.parse(fields).url ?? undefined;
    return {};
  },
  /** All notifications, oldest first, each with a signature that is valid for five minutes. */
  'GET notifications': ({ notifications }) =>
    notifications.list().map(({ id, content }) => ({ id, body: content, signature: notifications.sign(content) })),
  /** Sends notifications in the given order, also repeatedly, and answers with the statuses. */
  'POST deliveries': async ({ notifications }, fields) => {
    const statuses: number[] = [];
    for (const id of Deliveries.parse(fields).ids) statuses.push(await notifications.deliver(id));
    return { statuses };
  },
  /** Charges the card of another charge again, under a key of which the service knows nothing. */
  'POST foreign-charges': ({ books }, fields) => {
    const { key, like, reference } = PlannedCharge.parse(fields);
    const [made] = books.query(
      `INSERT INTO charges (idempotency_key, reference, token, amount_minor, currency, description, status, charged_at)
       SELECT $1, $3, token, amount_minor, currency, description, 'paid',
         strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
       FROM charges WHERE idempotency_key = $2 RETURNING *`,
      [key, like, reference],
    );
    return made ?? {};
  },
  /** Pays the balance in a currency out to the bank, or another amount. Below zero, the bank pays. */
  'POST payouts': ({ account }, fields) => account.payOut(Payout.parse(fields)),
  /** The bank returns a payout. */
  'POST failed-payouts': ({ account }, fields) => account.failPayout(Named.parse(fields).reference),
  /** Moves what has happened into the past. */
  'POST age': ({ books }, fields) => {
    const earlier = `-${Hours.parse(fields).hours} hours`;
    const moved = (column: string) => `${column} = strftime('%Y-%m-%dT%H:%M:%fZ', ${column}, $1)`;
    books.query(`UPDATE charges SET ${moved('charged_at')}, ${moved('returned_at')}`, [earlier]);
    books.query(`UPDATE payouts SET ${moved('created_at')}, ${moved('failed_at')}`, [earlier]);
    return {};
  },
};

export async function answerControl(account: OpenAccount, { method, parts, body }: ReceivedRequest): Promise<Answer> {
  const handler = handlers[`${method} ${parts[1] ?? ''}`];
  if (!handler) return { status: 404, body: { message: `the simulator knows: ${Object.keys(handlers).join(', ')}` } };
  try {
    return { status: 200, body: await handler(account, body === '' ? {} : JSON.parse(body)) };
  } catch (error) {
    const message = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    return { status: 422, body: { message } };
  }
}

/** The method and the name of each command, which the documents list. */
export const controlCommands = Object.keys(handlers);
