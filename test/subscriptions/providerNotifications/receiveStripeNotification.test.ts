import { randomUUID } from 'node:crypto';
import { buyGift, redeemGift } from '../../support/boughtGifts';
import { call } from '../../support/client';
import { createShop, purchase, reaches, subscribe, type Shop, type Submitted } from '../../support/factories';
import { permutations } from '../../support/orders';
import { createPayShop, pay, settles } from '../../support/payments';
import {
  intentOf as intentAt,
  notify as notifyApp,
  startStripeApp,
  type StripeApp,
  type Told,
} from '../../support/stripeNotifications';
import { until } from '../../support/until';

const needsAuthentication = '4000000000003220';

let app: StripeApp;

beforeAll(async () => (app = await startStripeApp()));
afterAll(() => app.stop());

const notify = (told: Told, signedWith?: string) => notifyApp(app, told, signedWith);

const accessOf = async ({ item, consumer }: Shop) =>
  (await call(app, 'GET', `/items/${item.id}/access`, undefined, consumer)).status;

const intentOf = (token: string) => intentAt(app.stripe, token);

test('200: a payer who has authenticated at the bank has their subscription, told by Stripe alone', async () => {
  const shop = await createShop(app);
  const asked = { ...purchase(shop, needsAuthentication), return_url: 'https://shop.example/back' };
  const { body } = await call<Submitted>(app, 'POST', '/subscriptions', asked, shop.consumer);
  const intent = await intentOf(body.subscription_id);
  await until(async () => {
    const text = `SELECT 1 FROM charges WHERE reference = $1 AND status = 'requires_action'`;
    return (await app.pool.query(text, [intent.id])).rows.length > 0;
  });
  app.stripe.answerAuthentication(intent.id, true);
  expect((await notify({ type: 'payment_intent.succeeded', object: { id: intent.id } })).status).toBe(200);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  expect(await accessOf(shop)).toBe(200);
});

test("200: a dispute ends a subscription's access, and one that is won gives it back", async () => {
  const shop = await createShop(app);
  const { body } = await subscribe(app, shop);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  const dispute = { id: 'dp_1', payment_intent: (await intentOf(body.subscription_id)).id };
  await notify({ type: 'charge.dispute.created', object: { ...dispute, status: 'needs_response' } });
  await reaches(app, shop.consumer, body.subscription_id, 'revoked');
  expect(await accessOf(shop)).toBe(402);
  await notify({ type: 'charge.dispute.closed', object: { ...dispute, status: 'won' } });
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  expect(await accessOf(shop)).toBe(200);
});

test("200: a dispute ends a payment's access, and one that is won gives it back, each told once", async () => {
  const shop = await createPayShop(app);
  const { body } = await pay(app, shop);
  await settles(app, body.transaction, 'paid');
  const dispute = { id: 'dp_2', payment_intent: (await intentOf(body.transaction)).id };
  const opened = { id: `evt_${randomUUID()}`, type: 'charge.dispute.created', object: dispute };
  const answers = await Promise.all([notify(opened), notify(opened), notify(opened)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await accessOf(shop)).toBe(402);
  expect((await notify({ type: 'charge.dispute.closed', object: { ...dispute, status: 'won' } })).status).toBe(200);
  expect(await accessOf(shop)).toBe(200);
  const history = await call<{ collection: { type: string }[] }>(
    app,
    'GET',
    '/notifications/history',
    undefined,
    shop.consumer,
  );
  const types = history.body.collection.map(({ type }) => type).filter((type) => type.startsWith('access.'));
  expect(types).toEqual(['access.granted', 'access.revoked', 'access.granted']);
});

describe('what is told of disputes, in any order', () => {
  const created = 1_900_000_000;
  const words = [
    { created, type: 'charge.dispute.created', status: 'warning_needs_response', opens: true },
    { created: created + 1, type: 'charge.dispute.updated', status: 'needs_response', opens: false },
    { created: created + 2, type: 'charge.dispute.funds_withdrawn', status: 'under_review', opens: false },
    { created: created + 3, type: 'charge.dispute.closed', status: 'won', opens: true },
    { created: created + 3, type: 'charge.dispute.funds_reinstated', status: 'won', opens: true },
  ];

  async function bought() {
    const shop = await createPayShop(app);
    const { body } = await pay(app, shop);
    await settles(app, body.transaction, 'paid');
    const about = { id: `dp_${randomUUID()}`, payment_intent: (await intentOf(body.transaction)).id };
    const tell = ({ status, opens: _, ...word }: (typeof words)[number], id = about.id, case_type?: string) =>
      notify({ ...word, object: { ...about, id, status, payment_method_details: { card: { case_type } } } });
    return { shop, tell };
  }

  test('200: an inquiry takes nothing away', async () => {
    const { shop, tell } = await bought();
    for (const status of ['warning_needs_response', 'warning_under_review', 'warning_closed']) {
      await tell({ created, type: 'charge.dispute.created', status, opens: true });
      expect(await accessOf(shop)).toBe(200);
    }
  });

  test('200: a dispute that was prevented takes the access with the money, and is closed for evidence', async () => {
    const { shop, tell } = await bought();
    const prevented = { created, type: 'charge.dispute.created', status: 'prevented', opens: true };
    await tell(prevented, 'dp_blocked', 'block');
    expect(await accessOf(shop)).toBe(200);
    await tell(prevented, 'dp_resolved', 'resolution');
    expect(await accessOf(shop)).toBe(402);
    const list = await call<{ collection: { id: number; status: string }[] }>(
      app,
      'GET',
      '/payments/disputes',
      undefined,
      shop.merchant,
    );
    expect(list.body.collection).toMatchObject([{ status: 'lost' }]);
    const path = `/payments/disputes/${list.body.collection[0]?.id}/evidence`;
    const sent = await call(app, 'POST', path, { statement: 'The film was watched.' }, shop.merchant);
    expect(sent).toMatchObject({ status: 409, body: { error: 'dispute_closed' } });
  });

  test('200: a dispute that is known and then blocked gives the access back at once', async () => {
    const { shop, tell } = await bought();
    const disputesOf = async () =>
      (await call<{ collection: object[] }>(app, 'GET', '/payments/disputes', undefined, shop.merchant)).body
        .collection;
    const blocked = { created: created + 1, type: 'charge.dispute.updated', status: 'prevented', opens: true };
    await tell(blocked, 'dp_unknown', 'block');
    expect(await disputesOf()).toEqual([]);
    await tell({ created, type: 'charge.dispute.created', status: 'needs_response', opens: false }, 'dp_known');
    expect(await accessOf(shop)).toBe(402);
    await tell(blocked, 'dp_known', 'block');
    expect(await accessOf(shop)).toBe(200);
    expect(await disputesOf()).toMatchObject([{ status: 'won' }]);
  });

  test.each(permutations([0, 1, 2, 3, 4]).filter((_, index) => index % 7 === 0))(
    '200: told as %i %i %i %i %i, the newest by the provider’s time counts throughout',
    async (...order) => {
      const { shop, tell } = await bought();
      let newest: (typeof words)[number] | undefined;
      for (const index of order) {
        const word = words[index];
        if (!word) throw new Error('there is no such word');
        await tell(word);
        if (!word.status.startsWith('warning_') && word.created >= (newest?.created ?? 0)) newest = word;
        expect(await accessOf(shop)).toBe((newest?.opens ?? true) ? 200 : 402);
      }
    },
  );

  test('200: two disputes of one purchase: access comes back when both are won', async () => {
    const { shop, tell } = await bought();
    const [, disputed, , won] = words;
    if (!disputed || !won) throw new Error('there are no such words');
    await tell(disputed, 'dp_first');
    await tell(disputed, 'dp_second');
    await tell(won, 'dp_first');
    expect(await accessOf(shop)).toBe(402);
    await tell(won, 'dp_second');
    expect(await accessOf(shop)).toBe(200);
  });
});

const dispute = async (token: string) => ({ id: `dp_${randomUUID()}`, payment_intent: (await intentOf(token)).id });

test('200: a dispute that is won does not give back what the merchant has taken away', async () => {
  const shop = await createPayShop(app);
  const { body } = await pay(app, shop);
  await settles(app, body.transaction, 'paid');
  const object = await dispute(body.transaction);
  const text = 'SELECT id FROM accesses WHERE account_id = $1';
  const { rows } = await app.pool.query<{ id: number }>(text, [shop.consumer.id]);
  await notify({ type: 'charge.dispute.created', object });
  await call(app, 'DELETE', `/items/access/${rows[0]?.id}`, undefined, shop.merchant);
  await notify({ type: 'charge.dispute.closed', object: { ...object, status: 'won' } });
  expect(await accessOf(shop)).toBe(402);
});

test('200: a dispute of a gift kills its code, if it is unused', async () => {
  const gift = await buyGift(app);
  await notify({ type: 'charge.dispute.created', object: await dispute(gift.token) });
  const body = { error: 'voucher_not_found' };
  expect(await redeemGift(app, gift, gift.receiver)).toMatchObject({ status: 404, body });
});

test('200: a dispute of a gift that is won brings its code back', async () => {
  const gift = await buyGift(app);
  const object = await dispute(gift.token);
  await notify({ type: 'charge.dispute.created', object });
  await notify({ type: 'charge.dispute.closed', object: { ...object, status: 'won' } });
  expect((await redeemGift(app, gift, gift.receiver)).status).toBe(200);
});

test('200: what is of no charge of ours is received, and nothing comes of it', async () => {
  for (const type of ['payment_intent.succeeded', 'charge.dispute.created', 'customer.created'])
    expect((await notify({ type, object: { id: 'pi_unknown', payment_intent: 'pi_unknown' } })).status).toBe(200);
});

test('400 invalid_signature: what Stripe has not signed is not noted', async () => {
  const id = `evt_${randomUUID()}`;
  const forged = await notify({ id, type: 'payment_intent.succeeded', object: { id: 'pi_1' } }, 'whsec_other');
  expect(forged.status).toBe(400);
  expect(await forged.json()).toMatchObject({ code: 400, error: 'invalid_signature' });
  const { rows } = await app.pool.query('SELECT 1 FROM provider_notifications WHERE id = $1', [id]);
  expect(rows).toEqual([]);
});
