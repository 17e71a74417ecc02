import { listDisputes, opened, subscribeInOwnShop } from '../../support/disputes';
import { call } from '../../support/client';
import { reaches } from '../../support/factories';
import { startAccountsApp, type AccountsApp } from '../../support/paymentAccounts';

/** Disputes whose decision was not notified. */

let app: AccountsApp;

beforeAll(async () => {
  app = await startAccountsApp();
  await app.startWorker();
});

afterAll(() => app.stop());

async function reconcile(): Promise<void> {
  const { reconcileCharges } = await import('../../../src/subscriptions/provider/reconciliation.js');
  await reconcileCharges();
}

/** The next reconciliation is that of another day. */
const passDay = () => app.pool.query(`UPDATE disputes SET looked_up_at = looked_up_at - interval '1 day'`);

const secondsAgo = (seconds: number) => Math.floor(Date.now() / 1000) - seconds;

/** A dispute under review, and what Stripe knows of it. */
async function disputed(status = 'under_review') {
  const own = await subscribeInOwnShop(app);
  const known = opened({ status });
  own.account.books.disputes.set(known.id, { ...known, payment_intent: own.intentId });
  // Earlier than the look-ups, however many notifications were sent before.
  await own.tell('charge.dispute.created', known, secondsAgo(120));
  await reaches(app, own.shop.consumer, own.id, 'revoked');
  const decide = (decision: string) =>
    own.account.books.disputes.set(known.id, { ...known, status: decision, payment_intent: own.intentId });
  const statusOf = async () => (await listDisputes(app, own.shop.merchant)).collection[0]?.status;
  return { ...own, known, decide, statusOf };
}

test('a decision whose notification was lost is found, and its consequences follow', async () => {
  const [lost, won, open] = [await disputed(), await disputed('needs_response'), await disputed()];
  lost.decide('lost');
  won.decide('won');
  await reconcile();
  expect([await lost.statusOf(), await won.statusOf(), await open.statusOf()]).toEqual(['lost', 'won', 'under_review']);
  const access = (own: typeof won) =>
    call(app, 'GET', `/items/${own.shop.item.id}/access`, undefined, own.shop.consumer);
  await reaches(app, won.shop.consumer, won.id, 'active');
  expect([(await access(lost)).status, (await access(won)).status]).toEqual([402, 200]);
});

test('a dispute is looked up once a day, also if its account does not answer', async () => {
  const own = await disputed();
  await reconcile();
  own.decide('lost');
  await reconcile();
  expect(await own.statusOf()).toBe('under_review');
  await passDay();
  app.stripe.fail(`/v1/disputes/${own.known.id}`, 'refuse before the work', 3);
  await reconcile();
  app.stripe.mend();
  expect(await own.statusOf()).toBe('under_review');
  await passDay();
  await reconcile();
  expect(await own.statusOf()).toBe('lost');
});

test('a dispute with a fault is logged, and the others are followed', async () => {
  const [faulty, other] = [await disputed(), await disputed()];
  await app.pool.query(`CREATE FUNCTION fail_dispute() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'a fault of the test'; END $$`);
  await app.pool.query(`CREATE TRIGGER disputes_fail BEFORE UPDATE OF status ON disputes FOR EACH ROW
    WHEN (OLD.reference = '${faulty.known.id}') EXECUTE FUNCTION fail_dispute()`);
  faulty.decide('lost');
  other.decide('lost');
  await reconcile();
  expect([await faulty.statusOf(), await other.statusOf()]).toEqual(['under_review', 'lost']);
  await app.pool.query('DROP TRIGGER disputes_fail ON disputes');
  await reconcile();
  expect(await faulty.statusOf()).toBe('lost');
});

test('a notification that arrives after the look-up changes nothing', async () => {
  const own = await disputed();
  own.decide('lost');
  await reconcile();
  await own.tell('charge.dispute.updated', { ...own.known, status: 'under_review' }, secondsAgo(60));
  expect(await own.statusOf()).toBe('lost');
});
