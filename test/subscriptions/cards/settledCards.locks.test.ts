import { call } from '../../support/client';
import { cards, reaches, createShop, subscribe, type Shop } from '../../support/factories';
import { waitForLocks } from '../../support/locks';
import { offerRedirects } from '../../support/redirects';
import { startApp, type TestApp } from '../../support/startApp';

/** A card or a method whose payer has agreed is written after the lock of the subscriptions that it pays for. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

interface Asked {
  pi_id: string;
}

const asks: Record<string, (shop: Shop, id: string) => Promise<{ body: Asked }>> = {
  'a default card': ({ consumer }) => {
    const card = { number: cards.authenticatedOnce, card_name: 'Ana', exp_month: 1, exp_year: 2041, cvv: 123 };
    return call<Asked>(app, 'PUT', '/v2/payments/cards/default', { ...card, currency_iso: 'EUR' }, consumer);
  },
  'a method with a page': async (shop, id) => {
    await offerRedirects(app, shop);
    const path = `/v2/subscriptions/${id}/payment-method`;
    return call<Asked>(app, 'PUT', path, { payment_method: 'ideal' }, shop.consumer);
  },
};

test.each(Object.keys(asks))('303: %s waits for the subscription, and has not locked its card before', async (kind) => {
  const shop = await createShop(app);
  const { subscription_id: id } = (await subscribe(app, shop)).body;
  await reaches(app, shop.consumer, id, 'active');
  const reference = (await asks[kind]?.(shop, id))?.body.pi_id ?? '';
  const holder = await app.pool.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM subscriptions WHERE token = $1 FOR UPDATE', [id]);
  const answered = call(app, 'POST', `/sandbox/authenticate/${reference}`, { answer: 'approved' });
  await waitForLocks(app.pool);
  const ofSetup = `SELECT FROM cards c JOIN card_setups u ON u.card_id = c.id WHERE u.reference = $1
    FOR UPDATE OF c NOWAIT`;
  expect((await holder.query(ofSetup, [reference])).rowCount).toBe(1);
  await holder.query('COMMIT');
  holder.release();
  expect((await answered).status).toBeLessThan(400);
});
