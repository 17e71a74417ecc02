import { createMerchant, type Person } from '../../support/factories';
import { createFollower } from '../../support/followers';
import { enterConsole } from '../../support/pageWalker';
import { startApp, type TestApp } from '../../support/startApp';
import { createStaff } from '../../support/staff';

/** The banner of the console says who is signed in, and at which merchant. */

let app: TestApp;
let merchant: Person;
const merchantName = 'Ana Petrova';

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
});
afterAll(() => app.stop());

async function bannerOf(email: string, path = '/console'): Promise<string> {
  const { text } = await (await enterConsole(app, email)).open(path);
  const [banner = ''] = /<header class="banner[^]*?<\/header>/.exec(text) ?? [];
  return banner
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([@.-]) ?/g, '$1');
}

test('200: the merchant', async () => {
  const banner = await bannerOf(merchant.email);
  expect(banner).toContain(merchantName);
  expect(banner).toContain(`You are signed in as ${merchant.email}`);
});

test('200: a member of the staff sees the name of the merchant, and its own address', async () => {
  const member = await createStaff(app, merchant, { role: 'support' });
  const banner = await bannerOf(member.email);
  expect(banner).toContain(merchantName);
  expect(banner).toContain(member.email);
  expect(banner).not.toContain(merchant.email);
});

test('200: a follower has an account of its own', async () => {
  const follower = await createFollower(app, merchant, ['items:read']);
  const banner = await bannerOf(follower.email, '/console/items');
  expect(banner).toContain('Regional Desk');
  expect(banner).toContain(follower.email);
});

test('200: nobody is named before the sign-in', async () => {
  const text = await (await fetch(`${app.address}/console/sign-in`)).text();
  expect(text).toContain('Merchant console');
  expect(text).not.toContain('class="small who"');
});
