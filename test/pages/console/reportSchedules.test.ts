import { createMerchant, type Person } from '../../support/factories';
import { enterConsole, type PageWalker } from '../../support/pageWalker';
import { startApp, type TestApp } from '../../support/startApp';

/** The reports that are mailed, as a merchant manages them in the console. */

let app: TestApp;
let merchant: Person;
let walker: PageWalker;
const address = '/console/reports/schedules';

beforeAll(async () => {
  app = await startApp();
});

beforeEach(async () => {
  merchant = await createMerchant(app);
  walker = await enterConsole(app, merchant.email);
  await walker.open(address);
});

afterAll(() => app.stop());

const fields = { report: 'mrr', cadence: 'weekly', time_zone: 'Asia/Tokyo', language: 'ar' };

test('a report is mailed, to others, and no more', async () => {
  const made = await walker.submit(address, { ...fields, recipients: 'a@example.org, b@example.org' });
  expect(made).toMatchObject({ status: 303 });
  const { text } = await walker.open(address);
  expect(text).toContain('a@example.org, b@example.org');
  expect(text).toContain('9:00, Asia/Tokyo');
  const own = new RegExp(`${address}/\\d+`).exec(text)?.[0] ?? '';
  expect((await walker.open(own)).text).toContain('value="a@example.org, b@example.org"');
  expect((await walker.submit(own, { ...fields, recipients: 'c@example.org' })).status).toBe(303);
  expect((await walker.open(address)).text).toContain('c@example.org');
  expect((await walker.submit(`${own}/delete`)).status).toBe(303);
  expect((await walker.open(address)).text).not.toContain('c@example.org');
});

test('what is wrong is said beside its field, and what was typed stays', async () => {
  const refused = await walker.submit(address, { ...fields, time_zone: 'Nowhere', recipients: 'a@example.org' });
  expect(refused.status).toBe(422);
  expect(refused.text).toContain('value="Nowhere"');
  expect(refused.text).toContain('aria-invalid="true"');
});
