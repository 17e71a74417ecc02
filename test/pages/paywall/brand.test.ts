import { type Locator } from 'playwright-core';
import { type Chromium, describeInBrowser, faultsOf, startChromium, type Visitor } from '../../support/chromium';
import { consoleVisitor } from '../../support/consoleVisitor';
import { createFee, createItem, type Person } from '../../support/factories';
import { createBrandedMerchant, heading, paywallOf, showPictures } from '../../support/paywall';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

/** The switches of a brand take effect at the paywall, and before that in the preview of the console. */

let app: TestApp;
let chromium: Chromium;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const protectedText = 'Protected content';

/** The height and the colour of the bar above the preview; undefined if there is none. */
const lineOf = (preview: Locator) =>
  preview.evaluate((card) => {
    const { content, height, backgroundColor } = (globalThis as unknown as Styled).getComputedStyle(card, '::before');
    return content === 'none' ? 'none' : `${height} ${backgroundColor}`;
  });
/** Where picture and title stand, and how they look. Runs in the browser. The compiler does not know the browser's globals here. */
const layout = `(() => {
  const card = document.querySelector('.preview');
  const { x, y, width, height } = card.querySelector('.cover').getBoundingClientRect();
  const { fontSize, textAlign } = getComputedStyle(card.querySelector('h1'));
  return [x, y, width, height, fontSize, textAlign, getComputedStyle(card).backgroundColor].join(' ');
})()`;
interface Styled {
  getComputedStyle(of: unknown, part: string): { content: string; height: string; backgroundColor: string };
}
const brownLine = '5px rgb(124, 45, 18)';

describeInBrowser('a brand’s switches', () => {
  let visitor: Visitor;
  beforeAll(async () => (chromium = await startChromium()));
  beforeEach(async () => (visitor = await chromium.newVisitor()));
  afterEach(() => visitor.context.close());
  afterAll(() => chromium.close());

  const look = async (name: string) => expect([name, await faultsOf(visitor, name)]).toEqual([name, []]);
  /** The address of an item that the merchant sells. */
  const openPaywall = async (merchant: Person) => {
    const item = await createItem(app, merchant);
    await createFee(app, merchant, item.id);
    const { page } = visitor;
    await showPictures(page);
    await page.goto(paywallOf(app, { merchant, item }));
    await heading(page, item.title).waitFor();
    return page;
  };
  const inConsole = consoleVisitor(
    () => app,
    () => visitor,
  );

  test.each([
    ['on', { preview_top_border: true, service_protected_label: true }, brownLine, 1],
    ['off', { preview_top_border: false, service_protected_label: false }, 'none', 0],
  ])('%s: the line above the preview and the protected label at the paywall', async (state, switches, line, labels) => {
    const merchant = await createBrandedMerchant(app, switches);
    const page = await openPaywall(merchant);
    expect(await lineOf(page.locator('.preview'))).toBe(line);
    expect(await page.getByText(protectedText).count()).toBe(labels);
    await look(`brand-switches-${state}`);
  });

  test('each layout of what is sold is another', async () => {
    const seen = new Set<string>();
    for (const template of [1, 2, 3, 4, 5, 6, 7]) {
      const merchant = await createBrandedMerchant(app, { template_id: template });
      const page = await openPaywall(merchant);
      await look(`brand-layout-${template}`);
      seen.add(await page.evaluate<string>(layout));
    }
    expect(seen.size).toBe(7);
  });

  test('are seen in the console’s preview before they are saved', async () => {
    const merchant = await createBrandedMerchant(app);
    const { page } = visitor;
    await showPictures(page);
    await inConsole.enter(merchant.email);
    await inConsole.open('/console/branding');
    const preview = page.frameLocator('iframe');
    // Each change loads another frame. A frame that is replaced during a look gives no answer.
    const line = () => lineOf(preview.locator('.preview')).catch(() => undefined);
    await preview.getByText(protectedText).waitFor();
    await until(async () => (await line()) === brownLine);
    await page.getByLabel('Show a colored line above the preview').uncheck();
    await page.getByLabel('Show that the content is protected').uncheck();
    await until(async () => (await line()) === 'none');
    await until(
      async () =>
        (await preview
          .getByText(protectedText)
          .count()
          .catch(() => 1)) === 0,
    );
    await page.getByLabel('Show a colored line above the preview').check();
    await until(async () => (await line()) === brownLine);
    await inConsole.look('console-branding-switches');
  });
});
