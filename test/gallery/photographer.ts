import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Page } from 'playwright-core';
import { type Chromium, startChromium } from '../support/chromium';
import { password } from '../support/factories';
import { showPictures } from '../support/paywall';

/** Takes pictures of a page at the widths of a desk and a phone, light and dark, and keeps them with an index. */

export const folder = path.resolve(process.env['SCREENSHOTS'] || '.data/gallery');
/** For a short round of changes and looks: `GALLERY_LANGUAGES=ar GALLERY_COLORS=dark GALLERY_WIDTHS=375 GALLERY_NAMES=sign-in`. */
const limitOf = (name: string) => process.env[`GALLERY_${name}`]?.split(',');
const isChosen = (name: 'LANGUAGES' | 'COLORS' | 'WIDTHS', value: string | number) =>
  limitOf(name)?.includes(String(value)) ?? true;
const widths = ([1280, 375] as const).filter((width) => isChosen('WIDTHS', width));
// A test takes hundreds of pictures. This is a net for what hangs, not a limit on speed.
jest.setTimeout(1_800_000);

export type GalleryLanguage = 'en-GB' | 'ar' | 'de';

/** German has the longest words, so the pages of customers are taken in it too. The console has no German. */
export const languagesOf = (room: 'customers' | 'staff'): readonly GalleryLanguage[] => {
  const all = room === 'customers' ? (['en-GB', 'ar', 'de'] as const) : (['en-GB', 'ar'] as const);
  const left = all.filter((language) => isChosen('LANGUAGES', language));
  return left.length > 0 ? left : ['en-GB'];
};

/** Keeps a picture of the page under a name. */
export type Keep = (name: string) => Promise<void>;

export interface Photographer {
  /** A visitor of the language who goes through pages. */
  visit(language: GalleryLanguage, take: (page: Page, keep: Keep) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

export async function startPhotographer(): Promise<Photographer> {
  mkdirSync(folder, { recursive: true });
  const chromium: Chromium = await startChromium();
  return {
    visit: async (language, take) => {
      const { page, context } = await chromium.newVisitor({ language });
      await showPictures(page);
      await page.route('https://cdn.example/cover.jpg', (route) =>
        route.fulfill({ contentType: 'image/svg+xml', body: cover }),
      );
      await take(page, (name) => keepPictures(page, `${name}-${language.slice(0, 2)}`, colorsOf(language)));
      await context.close();
    },
    close: async () => {
      writeIndex();
      await chromium.close();
    },
  };
}

/** The cover of the magazine in the pictures. */
const cover = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 450">
  <radialGradient id="sun" cx=".15" cy="0" r=".7"><stop stop-color="#ffbe8a"/><stop offset="1" stop-color="#ffbe8a" stop-opacity="0"/></radialGradient>
  <radialGradient id="glow" cx=".9" cy=".2" r=".6"><stop stop-color="#e0492b"/><stop offset="1" stop-color="#e0492b" stop-opacity="0"/></radialGradient>
  <path fill="#2e1539" d="M0 0h800v450H0z"/><path fill="url(#glow)" d="M0 0h800v450H0z"/><path fill="url(#sun)" d="M0 0h800v450H0z"/>
</svg>`;

const colorsOf = (language: GalleryLanguage) =>
  (language === 'de' ? (['light'] as const) : (['light', 'dark'] as const)).filter((color) =>
    isChosen('COLORS', color),
  );

/** Runs in the browser: menus and tabs that are wider than the window show the current page. */
const showCurrent = `for (const link of document.querySelectorAll('nav [aria-current], .tabs [aria-current]'))
  link.scrollIntoView({ block: 'nearest', inline: 'center' });`;

/** Throws if something is wider than the window. */
async function keepPictures(page: Page, name: string, colors: readonly ('light' | 'dark')[]): Promise<void> {
  if (!(limitOf('NAMES')?.some((part) => name.includes(part)) ?? true)) return;
  // An element can be found before the style sheet is there.
  await page.waitForLoadState('load');
  for (const width of widths) {
    await page.setViewportSize({ width, height: width === 375 ? 740 : 860 });
    // As if the page was opened at this width.
    await page.evaluate(showCurrent);
    for (const colorScheme of colors) {
      const file = `${name}-${colorScheme}-${width}.png`;
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      // A part that stays in sight would be in the middle of a long picture.
      await page.evaluate('scrollTo(0, 0)');
      await page.screenshot({ path: path.join(folder, file), fullPage: true, caret: 'initial' });
    }
    const beyond = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(`${name} at ${width}: ${String(beyond)} px too wide`).toBe(`${name} at ${width}: 0 px too wide`);
  }
  await page.setViewportSize({ width: 1280, height: 860 });
}

/** The name of a page's pictures: `console-items-id` for `/console/items/{id}`. */
export const pictureName = (place: string) =>
  place.replace(/^\//, '').replaceAll(/[{}_]/g, '').replaceAll(/[/ ]+/g, '-');

/** Signs a person in at the form of the console or of the operators. */
export async function enterAs(page: Page, address: string, email: string): Promise<void> {
  await page.goto(address);
  await page.locator('#field-email').fill(email);
  await page.locator('#field-password').fill(password);
  await page.locator('main form button[type=submit]').first().click();
}

/** One index for the pictures of all files: each writes it, and the last one to end has them all. */
function writeIndex(): void {
  const files = readdirSync(folder).filter((file) => file.endsWith('.png'));
  const figures = files.map(
    (file) => `<figure><img src="${file}" loading="lazy" alt="${file}"><figcaption>${file}</figcaption></figure>`,
  );
  const style =
    'body{font:14px system-ui;display:grid;gap:1rem;grid-template-columns:repeat(auto-fill,minmax(20rem,1fr))}figure{margin:0}img{width:100%}';
  writeFileSync(
    path.join(folder, 'index.html'),
    `<!doctype html><meta charset="utf-8"><title>Pages</title><style>${style}</style>${figures.join('')}`,
  );
}
