import { type Chromium, describeInBrowser, startChromium, type Visitor } from '../../support/chromium';
import { consoleVisitor } from '../../support/consoleVisitor';
import { createMerchant } from '../../support/factories';
import { type TestApp } from '../../support/startApp';
import { until } from '../../support/until';
import {
  answering,
  createWebhook,
  listDeliveries,
  publishEvents,
  startReceiver,
  startWebhookApp,
  type Receiver,
} from '../../support/webhooks';

let app: TestApp;
let chromium: Chromium;
let receiver: Receiver;

beforeAll(async () => {
  app = await startWebhookApp();
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.stop();
  await app.stop();
});

describeInBrowser('webhooks in the console', () => {
  let visitor: Visitor;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());
  afterEach(() => visitor.context.close());

  const { open, look, enter } = consoleVisitor(
    () => app,
    () => visitor,
  );

  test('what was sent is listed with its answer, and sent again', async () => {
    const merchant = await createMerchant(app);
    const { id } = await createWebhook(app, merchant, { url: receiver.url });
    receiver.answer = answering(204);
    await publishEvents(merchant, ['access.granted', 'access.revoked']);
    const settled = (count: number) =>
      until(async () => {
        const found = await listDeliveries(app, merchant, id);
        return found.length === count && found.every(({ state }) => state === 'delivered') && found;
      });
    await settled(2);
    visitor = await chromium.newVisitor();
    const { page } = visitor;
    await enter(merchant.email);
    await open('/console/settings/webhooks');
    await look('console-webhooks');
    await page.getByRole('link', { name: receiver.url }).click();
    await page.waitForLoadState();
    const rows = page.locator('tbody tr');
    expect(await rows.count()).toBe(2);
    expect(await rows.first().locator('th, td').allInnerTexts()).toEqual([
      expect.stringMatching(/\d{4}/) as string,
      'access.revoked',
      'Delivered',
      '1',
      '204',
      'Resend',
    ]);
    await look('console-webhook');

    const before = receiver.received.length;
    await page.locator('tbody tr').last().getByRole('button', { name: 'Resend' }).click();
    await page.getByText('Sent.', { exact: true }).waitFor();
    await until(() => Promise.resolve(receiver.received.length === before + 1));
    const last = receiver.received.at(-1);
    expect(JSON.parse(last?.body ?? '{}')).toMatchObject({ type: 'access.granted' });
  });

  test('a webhook is added, shows its secret once, is changed, turned off and deleted', async () => {
    const merchant = await createMerchant(app);
    visitor = await chromium.newVisitor();
    const { page } = visitor;
    await enter(merchant.email);
    await open('/console/settings/webhooks');
    await look('console-webhooks-empty');
    await page.getByLabel('URL').fill('not an address');
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByRole('alert').waitFor();
    await look('console-webhooks-refused');
    await page.getByLabel('URL').fill(receiver.url);
    await page.getByLabel('Events').fill('subscribe.success, access.granted');
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByText('whsec_').waitFor();
    await look('console-webhook-secret');
    await page.getByRole('link', { name: 'Continue' }).click();
    expect(await page.getByLabel('Events').inputValue()).toBe('subscribe.success, access.granted');
    await page.getByLabel('Events').fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(await page.getByLabel('Events').inputValue()).toBe('');
    await page.getByRole('button', { name: 'Turn off' }).click();
    await page.getByRole('button', { name: 'Turn on' }).waitFor();
    await page.locator('summary', { hasText: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No webhooks yet.').waitFor();
  });
});
