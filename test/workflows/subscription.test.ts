import { subscribeWithAuthentication } from '../support/payer';
import { findFaults } from '../support/books';
import { call, listen } from '../support/client';
import { cards, createConsumer, createShop, reaches, subscribe, type Submitted } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { queryBooks } from '../support/providerBooks';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const hasAccess = async (shop: Awaited<ReturnType<typeof createShop>>) =>
  (await call(app, 'GET', `/items/${shop.item.id}/access`, undefined, shop.consumer)).status === 200;

const timesTried = async (id: string) => {
  const text = 'SELECT attempts FROM sandbox_charges WHERE idempotency_key LIKE $1';
  const { rows } = await queryBooks<{ attempts: number }>(app.pool, text, [`${id}:%`]);
  return rows.map(({ attempts }) => attempts);
};

describe('a charge with an answer', () => {
  test('subscribe.success: one charge, one access, both told once', async () => {
    const shop = await createShop(app);
    const { body } = await subscribe(app, shop, cards.success);
    await reaches(app, shop.consumer, body.subscription_id, 'active');
    expect(await findFaults(app.pool, body.subscription_id)).toEqual([]);
    expect(await hasAccess(shop)).toBe(true);
  });

  test('subscribe.success: the setup fee is charged with the first period', async () => {
    const shop = await createShop(app, { setup_fee_amount: '5.00' });
    const channel = await listen(app, shop.consumer);
    const { body } = await subscribe(app, shop, cards.success);
    const { resource } = await channel.hears('subscribe.success');
    expect(resource).toMatchObject({ amount: '14.99', full_amount: '14.99', transaction: body.subscription_id });
    await channel.close();
  });

  test('subscribe.success: a price of nothing gives access and asks no provider', async () => {
    const shop = await createShop(app, { amount: '0' });
    const { body } = await subscribe(app, shop, cards.declined);
    await reaches(app, shop.consumer, body.subscription_id, 'active');
    expect(await hasAccess(shop)).toBe(true);
    expect(await timesTried(body.subscription_id)).toEqual([]);
  });

  test.each([
    [cards.declined, 'declined', 'Your card was declined.'],
    [cards.insufficientFunds, 'insufficient_funds', 'Your card has insufficient funds.'],
    [cards.expired, 'expired_card', 'Your card has expired.'],
  ])('subscribe.failed: the card %s is refused as %s', async (number, reason, message) => {
    const shop = await createShop(app);
    const channel = await listen(app, shop.consumer);
    const { body } = await subscribe(app, shop, number);

    const { resource } = await channel.hears('subscribe.failed');
    expect(resource).toMatchObject({
      code: 422,
      message,
      explain: { '422': message },
      subscription_id: body.subscription_id,
    });
    const row = await reaches(app, shop.consumer, body.subscription_id, 'incomplete_expired');
    expect(row).toMatchObject({ action_type: 'incomplete_expired', failure_reason: reason });
    expect(await findFaults(app.pool, body.subscription_id)).toEqual([]);
    expect(await hasAccess(shop)).toBe(false);
    await channel.close();
  });

  test('202: after a refusal the same consumer may subscribe with another card', async () => {
    const shop = await createShop(app);
    const first = await subscribe(app, shop, cards.declined);
    await reaches(app, shop.consumer, first.body.subscription_id, 'incomplete_expired');
    const second = await subscribe(app, shop, cards.success);
    expect(second.status).toBe(202);
    await reaches(app, shop.consumer, second.body.subscription_id, 'active');
    expect(await hasAccess(shop)).toBe(true);
  });
});

describe('a charge whose answer is lost', () => {
  test('subscribe.success: a time-out before charging is tried again and charges once', async () => {
    const shop = await createShop(app);
    const { body } = await subscribe(app, shop, cards.timeoutBeforeCharging);
    await reaches(app, shop.consumer, body.subscription_id, 'active');
    expect(await findFaults(app.pool, body.subscription_id)).toEqual([]);
    expect(await timesTried(body.subscription_id)).toEqual([2]);
  });

  test('subscribe.success: a time-out after charging is looked up, not tried again', async () => {
    const shop = await createShop(app);
    const { body } = await subscribe(app, shop, cards.timeoutAfterCharging);
    await reaches(app, shop.consumer, body.subscription_id, 'active');
    expect(await findFaults(app.pool, body.subscription_id)).toEqual([]);
    expect(await timesTried(body.subscription_id)).toEqual([1]);
  });
});

describe('a card that needs an authentication', () => {
  test('subscribe.requires.action: says where to go; nothing is paid and no access is given', async () => {
    const shop = await createShop(app);
    const { id, pi, redirectTo } = await subscribeWithAuthentication(app, shop);
    expect(pi).toMatch(/^pi_[0-9a-f]{32}$/);
    expect(redirectTo).toBe(`http://paywall.test/sandbox/authenticate/${pi}`);
    expect(await reaches(app, shop.consumer, id, 'incomplete')).toMatchObject({ failure_reason: '' });
    expect(await hasAccess(shop)).toBe(false);
  });

  test('subscribe.success: the customer approves', async () => {
    const shop = await createShop(app);
    const { id, answer } = await subscribeWithAuthentication(app, shop);
    expect((await answer('approved')).status).toBe(200);
    await reaches(app, shop.consumer, id, 'active');
    expect(await findFaults(app.pool, id)).toEqual([]);
    expect(await hasAccess(shop)).toBe(true);
  });

  test('subscribe.failed: the customer refuses', async () => {
    const shop = await createShop(app);
    const { id, answer } = await subscribeWithAuthentication(app, shop);
    await answer('refused');
    const row = await reaches(app, shop.consumer, id, 'incomplete_expired');
    expect(row).toMatchObject({ failure_reason: 'authentication_failed' });
    expect(await findFaults(app.pool, id)).toEqual([]);
  });

  test('subscribe.success: the first answer stands, however often and whatever is answered after it', async () => {
    const shop = await createShop(app);
    const { id, answer } = await subscribeWithAuthentication(app, shop);
    await answer('approved');
    await Promise.all([answer('refused'), answer('approved'), answer('refused')]);
    await reaches(app, shop.consumer, id, 'active');
    expect(await findFaults(app.pool, id)).toEqual([]);
  });
});

describe.each(['/subscriptions', '/v2/subscriptions'])('POST %s with only a pi_id', (path) => {
  test('202: changes nothing, before the customer has answered and after', async () => {
    const shop = await createShop(app);
    const { id, pi, answer } = await subscribeWithAuthentication(app, shop);
    const confirm = () => call<Submitted>(app, 'POST', path, { pi_id: pi }, shop.consumer);

    const before = await confirm();
    expect(before).toMatchObject({ status: 202, body: { subscription_id: id, status: 'incomplete' } });
    await answer('approved');
    await reaches(app, shop.consumer, id, 'active');
    const after = await confirm();
    expect(after).toMatchObject({ status: 202, body: { subscription_id: id, status: 'active' } });
    expect(await findFaults(app.pool, id)).toEqual([]);
    expect(await timesTried(id)).toEqual([1]);
  });

  test('404 payment_not_found: the payment of another account, or of nobody', async () => {
    const shop = await createShop(app);
    const { id, pi } = await subscribeWithAuthentication(app, shop);
    const strangers = [await createConsumer(app, shop.merchant), (await createShop(app)).consumer];
    for (const stranger of strangers)
      expect(await call(app, 'POST', path, { pi_id: pi }, stranger)).toMatchObject({
        status: 404,
        body: { error: 'payment_not_found' },
      });
    const unknown = await call(app, 'POST', path, { pi_id: 'pi_00000000000000000000000000000000' }, shop.consumer);
    expect(unknown).toMatchObject({ status: 404, body: { error: 'payment_not_found' } });
    await reaches(app, shop.consumer, id, 'incomplete');
  });
});
