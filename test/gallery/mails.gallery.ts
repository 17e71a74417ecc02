import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Language } from '../../src/kit/languages';
import { type MailTemplate } from '../../src/mail/mailValues';
import { renderMail } from '../../src/mail/templates';
import { type Chromium, describeInBrowser, startChromium } from '../support/chromium';
import { mailBrand, mailValues } from '../support/mailValues';

/** `npm run screenshots`: a picture of each mail, at the widths of a phone and of a mail program on a desk. */

const folder = path.resolve(process.env['SCREENSHOTS'] || '.data/gallery', 'mails');
const templates = Object.keys(mailValues) as MailTemplate[];
const looks: readonly (readonly [Language, 'light' | 'dark'])[] = [
  ['en', 'light'],
  ['en', 'dark'],
  ['ar', 'light'],
  // German has the longest words.
  ['de', 'light'],
];
const brand = { ...mailBrand, name: 'The Paywall Weekly', primaryColor: '#b4341f', buttonColor: '#b4341f' };

let chromium: Chromium;

describeInBrowser('the mails', () => {
  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    chromium = await startChromium();
  });
  afterAll(() => chromium.close());

  test.each(looks)('%s, %s', async (language, colorScheme) => {
    const { page, context } = await chromium.newVisitor({ language });
    await page.emulateMedia({ colorScheme });
    for (const template of templates) {
      const { html, text } = renderMail(template, mailValues[template], { brand, language });
      writeFileSync(path.join(folder, `${template}-${language}.txt`), text);
      await page.setContent(html);
      for (const width of [375, 640]) {
        await page.setViewportSize({ width, height: 400 });
        const file = `${template}-${language}-${colorScheme}-${width}.png`;
        await page.screenshot({ path: path.join(folder, file), fullPage: true });
        const beyond = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        expect(`${file}: ${String(beyond)} px wider`).toBe(`${file}: 0 px wider`);
      }
    }
    await context.close();
  });
});
