import { cards, createShop, reaches, subscribe } from '../support/factories';
import { bundleTimeLapse } from '../support/bundles';
import { approveSilently, changeCardOutcome, startLives, type Lived, type Lives } from '../support/lives';
import { answerInSilence, renewalAnswerPath, subscribeWithAuthentication } from '../support/payer';
import { until } from '../support/until';
import { unlapse, writeHistory } from './histories';

/** `npm run replay:record` writes the histories of what older code did otherwise: each `patched()` is taken in one. */

let lives: Lives;

beforeAll(async () => (lives = await startLives({ isIdle: true })));

afterAll(() => lives.stop());

/** A renewal that waits for its payer. */
async function asked(): Promise<Lived> {
  const life = await lives.begin();
  await reaches(lives.app, life.shop.consumer, life.id, 'active');
  await changeCardOutcome(lives.app, life, 'needs_authentication');
  await life.pass(32);
  return life;
}

async function quietHistory(life: Lived): Promise<string> {
  await life.pass(0.0001);
  return lives.temporal.history(life.id);
}

describe('as it goes', () => {
  beforeAll(() => lives.work());

  test('a renewal that its payer has approved in the moment of the cancellation', async () => {
    const life = await asked();
    await approveSilently(lives.app, life);
    await life.send('DELETE', `/subscriptions/${life.id}`);
    writeHistory('approved-then-canceled', await quietHistory(life));
  });

  test('a cancellation while the provider is away', async () => {
    const { cardProvider } = await import('../../src/adapters/cardProviders/index.js');
    const provider = { ...cardProvider };
    const life = await asked();
    let calls = 0;
    cardProvider.voidCharge = (...of) => {
      calls += 1;
      return calls > 1 ? provider.voidCharge(...of) : Promise.resolve({ outcome: 'unknown' });
    };
    await life.send('DELETE', `/subscriptions/${life.id}`);
    await until(async () => (await life.row()).status === 'canceled');
    Object.assign(cardProvider, provider);
    writeHistory('given-up-with-patience', await quietHistory(life));
  });

  test('a first payment whose payer has answered while the provider said nothing', async () => {
    const shop = await createShop(lives.app);
    const { id, answer } = await subscribeWithAuthentication(lives.app, shop);
    await until(async () => /TIMER_STARTED/i.test(await lives.temporal.history(id)));
    await answerInSilence(() => answer('approved'));
    await reaches(lives.app, shop.consumer, id, 'active');
    writeHistory('answer-in-doubt', await quietHistory(lives.of(shop, id)));
  });

  test('a renewal whose payer has answered while the provider said nothing', async () => {
    const life = await asked();
    const path = await renewalAnswerPath(lives.app, life.id);
    await answerInSilence(() => life.send('POST', path, { answer: 'approved' }));
    await reaches(lives.app, life.shop.consumer, life.id, 'active');
    writeHistory('renewal-in-doubt', await quietHistory(life));
  });
});

describe('under the time lapse', () => {
  test('a provider that says nothing for a day', async () => {
    const { cardProvider } = await import('../../src/adapters/cardProviders/index.js');
    process.env['TEMPORAL_TASK_QUEUE'] += '-lapsed';
    const { config } = await import('../../src/config.js');
    config.TEMPORAL_TASK_QUEUE += '-lapsed';
    process.env['WORKFLOW_BUNDLE'] = await bundleTimeLapse();
    await lives.app.startWorker();
    const silent = () => Promise.resolve({ outcome: 'unknown' as const });
    Object.assign(cardProvider, { charge: silent, lookUpCharge: silent, voidCharge: silent });
    const shop = await createShop(lives.app);
    const { body } = await subscribe(lives.app, shop, cards.success);
    await reaches(lives.app, shop.consumer, body.subscription_id, 'incomplete_expired');
    const history = await until(async () => {
      const found = await lives.temporal.history(body.subscription_id);
      return /WORKFLOW_EXECUTION_COMPLETED/i.test(found) && found;
    });
    writeHistory('unknown-for-a-day', unlapse(history));
  });
});
