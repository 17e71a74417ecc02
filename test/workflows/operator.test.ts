import { randomUUID } from 'node:crypto';
import { subscribeWithAuthentication } from '../support/payer';
import { call } from '../support/client';
import { cards, createShop, purchase, reaches, subscribe, type Shop, type Submitted } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { readable } from '../support/readable';
import { connectTemporal, type TemporalClient } from '../support/temporalClient';
import { until } from '../support/until';

/** What the Temporal UI shows about a subscription, and what it must not show. */

let app: TestApp;
let temporal: TemporalClient;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
  temporal = await connectTemporal();
});

afterAll(async () => {
  await temporal.close();
  await app.stop();
});

const handleOf = (id: string) => temporal.client.workflow.getHandle(`subscription-${id}`);

/** The server updates the list with a delay, so this waits for it. Other files have the same ids. */
const found = (condition: string) =>
  until(async () => {
    const query = `TaskQueue = '${process.env['TEMPORAL_TASK_QUEUE']}' AND ${condition}`;
    const ids: string[] = [];
    for await (const { workflowId } of temporal.client.workflow.list({ query })) ids.push(workflowId);
    return ids.length > 0 && ids;
  });

async function readDetails(id: string): Promise<string> {
  const metadata = await handleOf(id).query<{ currentDetails?: string }>('__temporal_workflow_metadata');
  return metadata.currentDetails ?? '';
}

async function subscribeTo(shop: Shop, number: string, status: Parameters<typeof reaches>[3]): Promise<string> {
  const { body } = await subscribe(app, shop, number);
  await reaches(app, shop.consumer, body.subscription_id, status);
  return body.subscription_id;
}

describe('the search of workflows finds a subscription', () => {
  test('by merchant, item and state', async () => {
    const shop = await createShop(app);
    const id = await subscribeTo(shop, cards.success, 'active');
    const { merchant, item } = shop;
    expect(await found(`PaywallMerchant = ${merchant.id} AND PaywallState = 'active'`)).toEqual([`subscription-${id}`]);
    expect(await found(`PaywallItem = ${item.id} AND ExecutionStatus = 'Running'`)).toContain(`subscription-${id}`);
  });

  test('by why it failed', async () => {
    const shop = await createShop(app);
    const id = await subscribeTo(shop, cards.insufficientFunds, 'incomplete_expired');
    const query = `PaywallMerchant = ${shop.merchant.id} AND PaywallFailureReason = 'insufficient_funds'`;
    expect(await found(`${query} AND PaywallState = 'incomplete_expired'`)).toEqual([`subscription-${id}`]);
  });

  test('while it waits for the payer', async () => {
    const shop = await createShop(app);
    const { id } = await subscribeWithAuthentication(app, shop);
    const query = `PaywallMerchant = ${shop.merchant.id} AND PaywallState = 'incomplete'`;
    expect(await found(query)).toEqual([`subscription-${id}`]);
  });
});

describe('a subscription says', () => {
  test('what is sold, in its summary', async () => {
    const shop = await createShop(app);
    const id = await subscribeTo(shop, cards.success, 'active');
    const summary = await (await handleOf(id).describe()).staticSummary();
    expect(summary).toBe(`€9.99 every 1 month, item ${shop.item.id}`);
  });

  test.each([
    [cards.success, 'active', /^### Active\nPaid until \d{4}-\d\d-\d\dT[\d:.]+Z\.$/],
    [cards.declined, 'incomplete_expired', /^### Failed\nYour card was declined\.$/],
  ] as const)('where it stands: the card %s leads to %s', async (number, status, details) => {
    const id = await subscribeTo(await createShop(app), number, status);
    expect(await until(async () => details.test(await readDetails(id)))).toBe(true);
  });

  test('that it waits for the payer', async () => {
    const { id } = await subscribeWithAuthentication(app, await createShop(app));
    const details = '### Waiting for the payer\nThe card needs an authentication.';
    expect(await until(async () => (await readDetails(id)) === details)).toBe(true);
  });

  test('which request began it', async () => {
    const shop = await createShop(app);
    const requestId = randomUUID();
    const { body, headers } = await call<Submitted>(app, 'POST', '/subscriptions', purchase(shop), {
      token: shop.consumer.token,
      headers: { 'X-Request-Id': requestId },
    });
    expect(headers.get('x-request-id')).toBe(requestId);
    expect((await handleOf(body.subscription_id).describe()).memo).toEqual({ requestId });
  });
});

describe('no history holds', () => {
  let histories: string;
  let shops: Shop[];

  beforeAll(async () => {
    shops = await Promise.all([createShop(app), createShop(app), createShop(app), createShop(app)]);
    const [paid, declined, lost, asked] = shops as [Shop, Shop, Shop, Shop];
    const ids = [
      await subscribeTo(paid, cards.success, 'active'),
      await subscribeTo(declined, cards.declined, 'incomplete_expired'),
      await subscribeTo(lost, cards.timeoutAfterCharging, 'active'),
    ];
    const { id, answer } = await subscribeWithAuthentication(app, asked);
    await answer('approved');
    await reaches(app, asked.consumer, id, 'active');
    histories = (await Promise.all([...ids, id].map((token) => temporal.history(token)))).map(readable).join('\n');
  });

  test('is read: an empty one would please every check below', () => {
    expect(histories).toContain('"subscriptionId"');
    expect(histories).toContain('Your card was declined.');
    expect(histories).toContain('€9.99 every 1 month');
  });

  test.each([
    ['an e-mail address', /example\.org/],
    ['a name', /Ana|Petrova/],
    ['a card number, its brand or its end', /\b4\d{15}\b|visa|"\d{4}"|\* ?\d{4}/i],
    ['a card or payment of the provider', /\b(tok|pi)_/],
    ['what is typed with a card', /cvv|exp_|"123"/],
    ['what is sold', /Cup final|The final/],
    ['a token', /eyJ|Bearer/],
  ])('%s', (_name, pattern) => expect(pattern.exec(histories)).toBeNull());

  test('an id of a person or a merchant that a stranger could use', () => {
    for (const { consumer, merchant } of shops)
      for (const uuid of [consumer.uuid, merchant.uuid]) expect(histories).not.toContain(uuid);
  });
});
