import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { call } from '../../support/client';
import { ownBaseUrl } from '../../support/companySignIn';
import {
  type Chromium,
  describeInBrowser,
  faultsOf,
  startChromium,
  type Visitor,
  untilTrue,
} from '../../support/chromium';
import { createFee, createItem, createMerchant, password, type Person } from '../../support/factories';
import { createFollower } from '../../support/followers';
import { download, green, imagesOf, plain, pngOf } from '../../support/images';
import { enterConsole, type PageWalker } from '../../support/pageWalker';
import { createStaff } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';

/** The uploads of covers and logos in the console. */

let app: TestApp;
let merchant: Person;
let itemId: number;
let walker: PageWalker;

beforeAll(async () => (app = await startApp()));
beforeEach(async () => {
  merchant = await createMerchant(app);
  itemId = (await createItem(app, merchant, { metadata: { note: 'kept' }, is_giftable: true })).id;
  await createFee(app, merchant, itemId);
  walker = await enterConsole(app, merchant.email);
});
afterAll(() => app.stop());

const brandOf = async () =>
  (await call<Record<string, unknown>>(app, 'GET', `/branding/paywall/${merchant.uuid}/default`)).body;
type Item = { metahash: Record<string, string>; is_giftable: boolean };
const itemOf = async () =>
  (await call<Item>(app, 'GET', `/items/${merchant.uuid}/${itemId}`, undefined, merchant)).body;

/** Without the times of the last change. */
const untimed = (item: Item) => JSON.stringify(item).replaceAll(/"updated?_at":\d+/g, '');

interface Form {
  page: string;
  action: string;
  name: string;
  saved: () => Promise<unknown>;
}
const forms: readonly Form[] = [
  {
    page: '/console/branding',
    action: '/console/branding/pictures/logo',
    name: 'logo',
    saved: async () => (await brandOf())['paywall_brand_logo'],
  },
  {
    page: '/console/branding',
    action: '/console/branding/pictures/cover',
    name: 'cover',
    saved: async () => (await brandOf())['paywall_cover_photo'],
  },
  {
    page: '/console/items/{id}',
    action: '/console/items/{id}/cover',
    name: 'cover',
    saved: async () => (await itemOf()).metahash['preview_image'] ?? '',
  },
];
const at = (address: string) => address.replace('{id}', String(itemId));

async function send({ page, action, name }: Form, file: Buffer | undefined, visitor = walker) {
  await visitor.open(at(page));
  return visitor.upload(at(action), name, file);
}

describe.each(forms)('$action', (form) => {
  test('303: a picture is uploaded, shown, replaced and removed', async () => {
    const first = await send(form, await pngOf());
    expect([first.status, first.headers.get('location')]).toEqual([303, `${at(form.page)}?done=saved`]);
    const url = (await form.saved()) as string;
    expect((await download(app, url)).status).toBe(200);
    expect((await walker.open(at(form.page))).text).toContain(`<img class="picture" src="${new URL(url).pathname}"`);
    await send(form, await pngOf(40, 20, green));
    expect(await form.saved()).not.toBe(url);
    await walker.open(at(form.page));
    expect((await walker.submit(`${at(form.action)}/delete`)).status).toBe(303);
    expect(await form.saved()).toBe('');
    expect((await walker.open(at(form.page))).text).not.toContain('class="picture"');
  });

  test.each([
    ['Choose a file.', undefined],
    ['The file is not a PNG, JPEG, WebP or GIF image.', Buffer.from('<svg/>')],
    ['The image is damaged or incomplete.', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
    ['The file is larger than 8 MB.', Buffer.alloc(8 * 1024 * 1024 + 1)],
    ['The file is larger than 8 MB.', Buffer.alloc(20 * 1024 * 1024)],
  ])('422: the field says "%s"', async (text, file) => {
    const { status, text: shown } = await send(form, file);
    expect(status).toBe(422);
    const complaint = new RegExp(`<p class="complaint" id="field-${form.name}-error">${text}`);
    expect(shown).toMatch(complaint);
    expect(shown).toMatch(new RegExp(`aria-describedby="field-${form.name}-hint field-${form.name}-error"`));
    expect(await form.saved()).toBe('');
  });
});

test('303: an upload and a removal change nothing else of the item and of the brand', async () => {
  const colours = { preview_buttons_bg_color: '#ffd400', preview_buttons_text_color: '#000000' };
  const brand = { ...(await brandOf()), ...colours, brand_name: 'Daily', terms_url: 'https://example.org/terms' };
  const filled = Object.fromEntries(Object.entries(brand).filter(([, value]) => value !== ''));
  expect((await call(app, 'PUT', '/branding/paywall', filled, merchant)).status).toBe(200);
  const [brandBefore, itemBefore] = [await brandOf(), await itemOf()];
  for (const form of forms) expect((await send(form, await pngOf())).status).toBe(303);
  const url = expect.stringContaining('/images/') as string;
  expect(await brandOf()).toEqual({ ...brandBefore, paywall_brand_logo: url, paywall_cover_photo: url });
  expect((await itemOf()).metahash).toEqual({ note: 'kept', preview_image: url });
  for (const { page, action } of forms) {
    await walker.open(at(page));
    await walker.submit(`${at(action)}/delete`);
  }
  expect(await brandOf()).toEqual(brandBefore);
  expect(untimed(await itemOf())).toBe(untimed(itemBefore));
});

test('200: readers see the uploaded cover at the paywall', async () => {
  await send(forms[2] as Form, await pngOf());
  const { metahash } = await itemOf();
  const { text } = await walker.open(`/paywall/${merchant.uuid}/${itemId}`);
  expect(text).toContain(`<img class="cover" src="${metahash['preview_image']}"`);
});

test('200: a person who may only read the item sees its cover without the form', async () => {
  await send(forms[2] as Form, await pngOf());
  const reader = await enterConsole(app, (await createStaff(app, merchant, { role: 'read_only' })).email);
  const { text } = await reader.open(at('/console/items/{id}'));
  expect(text).toContain('<img class="picture"');
  expect(text).not.toContain('name="upload-cover"');
});

test('403: each form needs its right, and 404: a brand has no picture of another kind', async () => {
  const [logo, , cover] = forms as [Form, Form, Form];
  const editor = await enterConsole(app, (await createFollower(app, merchant, ['items:write', 'items:read'])).email);
  const designer = await enterConsole(app, (await createFollower(app, merchant, ['branding:write'])).email);
  expect((await editor.upload(logo.action, 'logo', await pngOf())).status).toBe(403);
  expect((await designer.upload(at(cover.action), 'cover', await pngOf())).status).toBe(403);
  await walker.open(logo.page);
  expect((await walker.upload('/console/branding/pictures/poster', 'poster', await pngOf())).status).toBe(404);
});

test('403: a form of another site uploads nothing, and 404: nor does one for another merchant’s item', async () => {
  const body = new FormData();
  body.set('logo', new Blob([new Uint8Array(await pngOf())]), 'logo.png');
  const headers = { Cookie: walker.cookies, Origin: 'https://evil.example' };
  const response = await fetch(`${app.address}/console/branding/pictures/logo`, { method: 'POST', body, headers });
  expect(response.status).toBe(403);
  const other = await createMerchant(app);
  const { id } = await createItem(app, other);
  await walker.open('/console/branding');
  expect((await walker.upload(`/console/items/${id}/cover`, 'cover', await pngOf())).status).toBe(404);
  expect(await imagesOf(app, other)).toEqual([]);
});

describeInBrowser('the forms in a browser', () => {
  /** The name of the tests is not served over TLS. */
  const expected = /Cross-Origin-Opener-Policy|status of 4\d\d/;
  let chromium: Chromium;
  let folder: string;
  let visitor: Visitor;

  beforeAll(async () => {
    chromium = await startChromium({ hosts: `MAP paywall.test ${new URL(app.address).host}` });
    folder = await mkdtemp(path.join(tmpdir(), 'pictures-'));
    await writeFile(path.join(folder, 'logo.png'), await plain(300, 90, green).png().toBuffer());
    await writeFile(path.join(folder, 'cover.jpg'), await plain(1600, 900, green).jpeg().toBuffer());
    await writeFile(path.join(folder, 'drawing.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  });
  afterAll(async () => {
    await chromium.close();
    await rm(folder, { recursive: true });
  });
  afterEach(() => visitor.context.close());

  async function signIn(hasScripts: boolean, width: number): Promise<void> {
    visitor = await chromium.newVisitor({ hasScripts, width });
    const { page } = visitor;
    await page.goto(`${ownBaseUrl}/console/sign-in`);
    await page.locator('input[name=email]').fill(merchant.email);
    await page.locator('input[name=password]').fill(password);
    await page.locator('form button[type=submit]').first().click();
    await page.waitForURL(`${ownBaseUrl}/console`);
  }

  async function choose(name: string, file: string): Promise<void> {
    await visitor.page.locator(`input[type=file][name=${name}]`).setInputFiles(path.join(folder, file));
    await visitor.page.locator(`form[name=upload-${name}] button`).first().click();
  }

  test.each([375, 1280])('the branding and the item at %d pixels have no faults in any state', async (width) => {
    await signIn(true, width);
    const { page } = visitor;
    const faults: string[] = [];
    for (const [address, name, file] of [
      ['/console/branding', 'logo', 'logo.png'],
      [`/console/items/${itemId}`, 'cover', 'cover.jpg'],
    ] as const) {
      await page.goto(`${ownBaseUrl}${address}`);
      faults.push(...(await faultsOf(visitor, `pictures-${name}-none`, expected)));
      await choose(name, 'drawing.svg');
      await page.locator(`#field-${name}-error`).waitFor();
      faults.push(...(await faultsOf(visitor, `pictures-${name}-refused`, expected)));
      await choose(name, file);
      await untilTrue(page, `document.querySelector('img.picture')?.naturalWidth > 0`);
      faults.push(...(await faultsOf(visitor, `pictures-${name}-shown`, expected)));
    }
    expect(faults).toEqual([]);
  });

  test('without a script a picture is uploaded and removed', async () => {
    await signIn(false, 1280);
    const { page } = visitor;
    await page.goto(`${ownBaseUrl}/console/branding`);
    await choose('logo', 'logo.png');
    await page.locator('img.picture').waitFor();
    await page.locator('button[formaction$="/logo/delete"]').click();
    await page.locator('img.picture').waitFor({ state: 'detached' });
    expect((await brandOf())['paywall_brand_logo']).toBe('');
  });
});
