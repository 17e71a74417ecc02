import { withCities } from '../../support/geoDatabase';
import { call } from '../../support/client';
import { type Chromium, describeInBrowser, startChromium, type Visitor } from '../../support/chromium';
import { consoleVisitor } from '../../support/consoleVisitor';
import { createItem, createMerchant, type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let chromium: Chromium;

beforeAll(async () => void (app = await startApp(withCities())));
afterAll(() => app.stop());

describeInBrowser('what a merchant says of its visitors', () => {
  let visitor: Visitor;
  let merchant: Person;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());
  beforeEach(async () => {
    visitor = await chromium.newVisitor();
    merchant = await createMerchant(app);
    await enter(merchant.email);
  });
  afterEach(() => visitor.context.close());

  const { open, look, enter } = consoleVisitor(
    () => app,
    () => visitor,
  );
  const read = async <Body = object>(path: string) => (await call<Body>(app, 'GET', path, undefined, merchant)).body;
  const saved = async () => {
    await visitor.page.getByRole('status').waitFor();
    await visitor.page.waitForLoadState();
  };

  test('sets of countries and of places are added, changed and deleted', async () => {
    const { page } = visitor;
    await open('/console/restrictions');
    await page.getByRole('link', { name: 'Add geo set' }).click();
    await page.getByLabel('Name').fill('The west coast and Skopje');
    await page.getByLabel('Regions').fill('US-CA, US-OR, XX-1');
    await page.getByLabel('Cities').fill('Skopje, MK\nPortland, US, US-ME');
    await page.getByRole('button', { name: 'Add geo set' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('Cities').inputValue()).toBe('Skopje, MK\nPortland, US, US-ME');
    await look('console-geo-set-refused');
    await page.getByLabel('Regions').fill('US-CA, US-OR');
    await page.getByRole('button', { name: 'Add geo set' }).click();
    await page.getByRole('link', { name: 'The west coast and Skopje' }).click();
    await look('console-geo-set');
    expect(await page.getByLabel('Cities').inputValue()).toBe('Skopje, MK\nPortland, US, US-ME');
    await page.getByLabel('List').selectOption('blacklist');
    await page.getByLabel('All items').uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await saved();
    expect(await read('/restrictions/geo/set')).toMatchObject([
      {
        name: 'The west coast and Skopje',
        type: 'blacklist',
        global: false,
        regions: [{ name: 'US-CA' }, { name: 'US-OR' }],
        cities: [
          { name: 'Skopje', country: 'MK', region: '' },
          { name: 'Portland', country: 'US', region: 'US-ME' },
        ],
      },
    ]);

    await page.getByRole('link', { name: 'Add country set' }).click();
    await page.getByLabel('Name').fill('Home');
    await page.getByLabel('Countries').fill('DE');
    await page.getByRole('button', { name: 'Add country set' }).click();
    await page.getByRole('link', { name: 'Home' }).click();
    await page.getByLabel('Countries').fill('DE, AT');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'Austria, Germany' }).waitFor();
    await look('console-restrictions-full');
    const row = page.getByRole('row', { name: 'The west coast' });
    await row.locator('summary').click();
    await row.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No geo sets yet.').waitFor();
  });

  test('an item has restrictions of its own, and gives them back', async () => {
    const { page } = visitor;
    const { id } = await createItem(app, merchant);
    const fields = { name: 'Home', type: 'whitelist', global: 'false', countries: ['DE', 'AT'] };
    await call(app, 'POST', '/restrictions/geo/country-set', fields, merchant);
    await open(`/console/items/${id}`);
    await page.getByRole('link', { name: 'Restrictions' }).last().click();
    await page.getByLabel('Minimum age for this item').fill('200');
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Minimum age for this item').fill('16');
    await page.getByRole('button', { name: 'Save' }).first().click();
    await saved();
    await page.getByLabel('Country set').selectOption('Home');
    await page.getByRole('button', { name: 'Save' }).last().click();
    await page.getByText('Austria, Germany').waitFor();
    await page.locator('summary', { hasText: 'Add domains' }).click();
    await page.getByLabel('Domains').fill('example.org\nnews.example.com');
    await page.getByRole('button', { name: 'Add domains' }).click();
    await page.getByRole('rowheader', { name: 'news.example.com' }).waitFor();
    await look('console-item-restrictions');
    expect(await read(`/restrictions/age/item/${id}`)).toMatchObject({ min_age: 16 });
    expect(await read(`/restrictions/geo/items/${id}/country-set`)).toMatchObject({ name: 'Home' });

    const row = page.getByRole('row', { name: 'news.example.com' });
    await row.locator('summary').click();
    await row.getByRole('button', { name: 'Delete' }).click();
    await row.waitFor({ state: 'detached' });
    await page.getByLabel('Minimum age for this item').fill('');
    await page.getByRole('button', { name: 'Save' }).first().click();
    await saved();
    await page.getByLabel('Country set').selectOption('Default');
    await page.getByRole('button', { name: 'Save' }).last().click();
    await page.getByText('The default country sets apply.').waitFor();
    expect(await read(`/restrictions/age/item/${id}`)).toMatchObject({ code: 404 });
    expect(await read(`/restrictions/domain/item/${id}`)).toMatchObject({ domains: [{ domain: 'example.org' }] });
  });

  test('customers are asked for what the merchant wants to know', async () => {
    const { page } = visitor;
    await open('/console/settings');
    await page.getByRole('link', { name: 'Registration' }).click();
    await look('console-settings-registration-empty');
    await page.getByLabel('Label').fill('Your club');
    await page.getByLabel('Name').fill('club');
    await page.getByLabel('Type').selectOption('select');
    await page.getByLabel('Options').fill('red = Red Star\nblue');
    await page.getByLabel('Placeholder').fill('Red Star');
    await page.getByLabel('Required field').check();
    await page.getByRole('button', { name: 'Add field' }).click();
    await page.getByRole('link', { name: 'Your club' }).waitFor();
    await look('console-settings-registration');
    const asked = async () =>
      (await read<{ collection: object[] }>(`/accounts/register-fields/${merchant.uuid}`)).collection[0];
    const options = { red: 'Red Star', blue: 'blue' };
    expect(await asked()).toMatchObject({ name: 'club', type: 'select', required: true, options });

    await page.getByRole('link', { name: 'Your club' }).click();
    await look('console-register-field');
    await page.getByLabel('Options').fill('');
    await page.getByLabel('Placeholder').fill('');
    await page.getByLabel('Type').selectOption('text');
    await page.getByLabel('Required field').uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await saved();
    expect(await asked()).toMatchObject({ type: 'text', required: false, options: {}, placeholder: '' });
    await page.getByRole('link', { name: 'Your club' }).click();
    await page.locator('summary', { hasText: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No additional fields.').waitFor();
  });

  test('who left an address is listed', async () => {
    const { page } = visitor;
    const left = { email: 'ana@example.org', full_name: 'Ana Petrova', merchant_uuid: merchant.uuid };
    await call(app, 'POST', '/v2/accounts/customers/data-capture', left);
    await open('/console/customers');
    await page.getByRole('link', { name: 'Captured emails' }).click();
    await page.getByRole('row', { name: 'ana@example.org' }).getByText('Ana Petrova').waitFor();
    await look('console-addresses');
  });
});
