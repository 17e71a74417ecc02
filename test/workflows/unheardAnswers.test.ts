import { createShop, reaches } from '../support/factories';
import { changeCardOutcome, startLives, type Lives } from '../support/lives';
import { answerInSilence, renewalAnswerPath, subscribeWithAuthentication } from '../support/payer';
import { createPayShop, payWithAuthentication, settles } from '../support/payments';
import { until } from '../support/until';

/** The payer has answered, and in that moment the provider does not say what: it is asked again, and soon. */

let lives: Lives;

beforeAll(async () => (lives = await startLives()));

afterAll(() => lives.stop());

/** A run has looked for an answer, and waits for one. */
const waits = (workflowId: string) =>
  until(async () => /TIMER_STARTED/i.test(await lives.temporal.historyOf(workflowId)));

test('subscribe.success: a first payment', async () => {
  const shop = await createShop(lives.app);
  const { id, answer } = await subscribeWithAuthentication(lives.app, shop);
  await waits(`subscription-${id}`);
  await answerInSilence(() => answer('approved'));
  await reaches(lives.app, shop.consumer, id, 'active');
});

test('payment.card.success: a one-time payment', async () => {
  const shop = await createPayShop(lives.app);
  const { id, answer } = await payWithAuthentication(lives.app, shop);
  await waits(`payment-${id}`);
  await answerInSilence(() => answer('approved'));
  await settles(lives.app, id, 'paid');
});

test('subscribe.renewed: a renewal, long before the next try', async () => {
  const life = await lives.begin();
  await changeCardOutcome(lives.app, life, 'needs_authentication');
  expect(await life.pass(31.5)).toMatchObject({ status: 'past_due' });
  const path = await renewalAnswerPath(lives.app, life.id);
  await answerInSilence(() => life.send('POST', path, { answer: 'approved' }));
  await reaches(lives.app, life.shop.consumer, life.id, 'active');
});
