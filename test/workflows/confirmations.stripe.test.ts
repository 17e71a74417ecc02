import { call } from '../support/client';
import { cards, createShop, reaches, subscribe } from '../support/factories';
import { chargesOf } from '../support/ledger';
import { confirmationPath } from '../support/payer';
import { intentOf, notify, startStripeApp, type StripeApp } from '../support/stripeNotifications';
import { failToRenew } from '../support/testClock';
import { until } from '../support/until';

/** Stripe declines a renewal with `authentication_required`, and the payer confirms the same intent. */

let app: StripeApp;

beforeAll(async () => (app = await startStripeApp()));
afterAll(() => app.stop());

test('subscribe.renewed: two intents at Stripe, each paid once', async () => {
  const shop = await createShop(app);
  const { subscription_id: id } = (await subscribe(app, shop, cards.needsAuthentication)).body;
  const approve = async (intent: { id: string }) => {
    app.stripe.answerAuthentication(intent.id, true);
    await notify(app, { type: 'payment_intent.succeeded', object: intent });
  };
  await approve(await intentOf(app.stripe, id));
  await failToRenew(app, shop, id);
  const renewal = await until(() => [...app.stripe.intents.values()].find(({ off_session }) => off_session));
  expect(renewal.status).toBe('requires_payment_method');
  const path = await until(() => confirmationPath(app, id));
  const { status, headers } = await call(app, 'POST', path);
  expect([status, headers.get('location')]).toEqual([303, `https://bank.example/${renewal.id}`]);
  expect(app.stripe.intents.get(renewal.id)).toMatchObject({ status: 'requires_action', off_session: false });
  await approve(renewal);
  await reaches(app, shop.consumer, id, 'active');
  expect((await chargesOf(app, id)).map((charge) => charge.status)).toEqual(['paid', 'paid']);
  expect([...app.stripe.intents.values()].map((intent) => intent.status)).toEqual(['succeeded', 'succeeded']);
});
