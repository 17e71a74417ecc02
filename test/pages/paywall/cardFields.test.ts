import { type Page } from 'playwright-core';
import { languages } from '../../../src/kit/languages';
import { textsFor } from '../../../src/pages/layout/texts';
import { type Chromium, describeInBrowser, faultsOf, startChromium, type Visitor } from '../../support/chromium';
import { card, pathOf, signedInAt } from '../../support/checkout';
import { createShop, password, type Shop } from '../../support/factories';
import { useKeyboard } from '../../support/keyboard';
import { startApp, type TestApp } from '../../support/startApp';
import { formsOn } from '../../support/summaries';
import { until } from '../../support/until';

/** The typed fields of a card tell an error when a person leaves them. No worker runs here, so nothing is charged. */

let app: TestApp;
let shop: Shop;

beforeAll(async () => {
  app = await startApp();
  shop = await createShop(app);
});
afterAll(() => app.stop());

const { t } = textsFor({ languages: ['en'] });

describeInBrowser('the typed fields of a card', () => {
  let chromium: Chromium;
  let visitor: Visitor;
  let page: Page;
  beforeAll(async () => {
    chromium = await startChromium();
  });
  beforeEach(async () => {
    visitor = await chromium.newVisitor();
    ({ page } = visitor);
    await page.goto(`${app.address}${pathOf(shop)}?step=sign-in`);
    await page.locator('#field-username').fill(shop.consumer.email);
    await page.locator('#field-password').fill(password);
    await page.locator('#field-password').press('Enter');
    await scriptHasRun();
  });
  afterEach(() => visitor.context.close());
  afterAll(() => chromium.close());

  /** Types a value as a person does, and leaves the field. */
  async function type(field: string, value: string): Promise<void> {
    await page.locator(`#field-${field}`).fill(value);
    await page.locator(`#field-${field}`).blur();
  }
  /** The script comes with the checkout. It names the kind of a card as soon as it has run. */
  async function scriptHasRun(): Promise<void> {
    const number = page.locator('#field-number');
    await until(async () => {
      await number.fill('');
      await number.fill('4');
      return (await page.locator('[data-scheme]').innerText()) === 'Visa';
    });
    await number.fill('');
  }
  const errorOf = async (field: string) => page.locator(`#field-${field}-error`).allInnerTexts();

  test.each([
    [
      'number',
      'errors.cardNumber',
      ['4242424242424241', '42424242424', 'abcd'],
      ['4242 4242 4242 4242', '378282246310005', ''],
    ],
    ['exp_month', 'errors.cardExpiry', ['0', '13', 'x'], ['1', '12', '']],
    ['exp_year', 'errors.cardExpiry', ['2', '204'], ['2040', '40', '']],
    ['cvv', 'errors.cardCode', ['12', '12x'], ['123', '1234', '']],
  ] as const)(
    '%s: an error is told and described, and goes when the value is right',
    async (field, key, wrong, right) => {
      const input = page.locator(`#field-${field}`);
      for (const value of wrong) {
        await type(field, value);
        expect([value, await errorOf(field)]).toEqual([value, [t(key)]]);
        expect(await input.getAttribute('aria-invalid')).toBe('true');
        expect(await input.getAttribute('aria-describedby')).toBe(`field-${field}-error`);
      }
      expect((await (await useKeyboard(page)).announced()).join()).toContain(t(key));
      for (const value of right) {
        await type(field, wrong[0]);
        // At each key, without leaving the field.
        await input.fill(value);
        expect([value, await errorOf(field), await input.getAttribute('aria-invalid')]).toEqual([value, [], null]);
      }
    },
  );

  test('the last month of a card counts, and the month before it is over', async () => {
    const now = new Date();
    const before = new Date(now.getFullYear(), now.getMonth() - 1);
    await type('exp_month', String(before.getMonth() + 1));
    await type('exp_year', String(before.getFullYear()));
    expect(await errorOf('exp_year')).toEqual([t('errors.cardExpiry')]);
    await type('exp_month', String(now.getMonth() + 1));
    await type('exp_year', String(now.getFullYear()));
    expect(await errorOf('exp_year')).toEqual([]);
  });

  test.each([
    ['4', 'Visa'],
    ['2221', 'Mastercard'],
    ['2220', ''],
    ['34', 'American Express'],
    ['62', 'UnionPay'],
  ])('a number that begins with %s is of %s, and a screen reader hears it', async (start, scheme) => {
    await page.locator('#field-number').fill(start);
    expect(await page.locator('[data-scheme]').innerText()).toBe(scheme);
    const announced = await (await useKeyboard(page)).announced();
    expect(announced.filter((text) => text === scheme)).toEqual(scheme === '' ? [] : [scheme]);
  });

  test('the code of American Express has four digits', async () => {
    await type('number', '378282246310005');
    await type('cvv', '123');
    expect(await errorOf('cvv')).toEqual([t('errors.cardCode')]);
    await type('number', '4242424242424242');
    expect(await errorOf('cvv')).toEqual([]);
  });

  test('an error has no fault that axe finds, and fits a phone', async () => {
    for (const field of ['number', 'exp_month', 'exp_year', 'cvv']) await type(field, 'x');
    expect(await faultsOf(visitor, 'card-fields-wrong')).toEqual([]);
  });
});

test.each(languages)('%s: without a script, the server tells the same errors', async (language) => {
  const other = await createShop(app);
  const walker = await signedInAt(app, other);
  const { text } = await walker.open(`${pathOf(other)}?lang=${language}`);
  const checkout = formsOn(text).find(({ fields }) => fields.has('cvv'));
  const wrong = { ...card, number: '4242424242424241', exp_month: '13', cvv: '12' };
  const refused = await walker.submit(`${pathOf(other)}/pay?lang=${language}`, {
    ...checkout?.kept,
    ...wrong,
    do: 'pay',
  });
  const texts = textsFor({ languages: [language] });
  for (const key of ['errors.cardNumber', 'errors.cardExpiry', 'errors.cardCode'] as const)
    expect(refused.text).toContain(`>${texts.t(key)}</p>`);
});
