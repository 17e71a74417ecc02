import { call } from '../support/client';
import { brandFields, createBrand } from '../support/examples/branding';
import { createItem, createMerchant, type Person } from '../support/factories';
import { coverPath, imagesOf, logoPath, makeOld, pngOf, uploaded } from '../support/images';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';

/** How long an image is kept. */

let app: TestApp;
let merchant: Person;

beforeAll(async () => (app = await startApp()));
beforeEach(async () => (merchant = await createMerchant(app)));
afterAll(() => app.stop());

async function deleteOutdated(): Promise<void> {
  const retention = await import('../../src/privacy/retention.js');
  await retention.deleteOutdated();
}

const hashOf = ({ url }: { url: string }) => url.slice(-64);
const cover = async (width: number) => uploaded(app, merchant, coverPath, await pngOf(width));

test('an image that no field names is deleted after a week: its client has stopped between the two requests', async () => {
  await cover(40);
  await deleteOutdated();
  expect(await imagesOf(app, merchant)).toHaveLength(1);
  await app.pool.query(`UPDATE images SET uploaded_at = now() - interval '167 hours' WHERE merchant_id = $1`, [
    merchant.id,
  ]);
  await deleteOutdated();
  expect(await imagesOf(app, merchant)).toHaveLength(1);
  await makeOld(app, merchant);
  await deleteOutdated();
  expect(await imagesOf(app, merchant)).toEqual([]);
});

test('an image is kept as long as a brand or an item of its merchant names it', async () => {
  const [preview, itemCover, logo, brandCover] = [
    await cover(40),
    await cover(41),
    await uploaded(app, merchant, logoPath, await pngOf()),
    await cover(42),
  ];
  const brandId = await createBrand(
    { app, merchant },
    { paywall_brand_logo: logo.url, paywall_cover_photo: brandCover.url },
  );
  const item = await createItem(app, merchant, {
    metadata: { preview_image: preview.url, paywall_cover_photo: itemCover.url },
  });
  await makeOld(app, merchant);
  await deleteOutdated();
  expect((await imagesOf(app, merchant)).sort()).toEqual([preview, itemCover, logo, brandCover].map(hashOf).sort());
  await call(app, 'DELETE', `/branding/paywall/${brandId}`, undefined, merchant);
  await app.pool.query(`DELETE FROM item_metadata WHERE item_id = $1 AND name = 'preview_image'`, [item.id]);
  await deleteOutdated();
  expect(await imagesOf(app, merchant)).toEqual([hashOf(itemCover)]);
});

describe('an image that nothing has named for a week, and that a request names at this moment', () => {
  interface Naming {
    url: string;
    itemId: number;
    brandId: number;
  }
  const saves: Record<string, (naming: Naming) => Promise<unknown>> = {
    'a new item': ({ url }) => createItem(app, merchant, { metadata: { preview_image: url } }),
    'a changed item': ({ url, itemId }) =>
      call(app, 'PATCH', `/v2/items/${itemId}`, { metadata: { paywall_cover_photo: url } }, merchant),
    'a new brand': ({ url }) => createBrand({ app, merchant }, { paywall_brand_logo: url }),
    'a changed brand': ({ url, brandId }) =>
      call(app, 'PUT', '/branding/paywall', { ...brandFields, id: brandId, paywall_cover_photo: url }, merchant),
  };
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

  test.each(Object.keys(saves))('%s keeps it, although retention runs before the commit', async (name) => {
    const { url } = await cover(40);
    const [{ id: itemId }, brandId] = [await createItem(app, merchant), await createBrand({ app, merchant })];
    await makeOld(app, merchant);
    const holder = await app.pool.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM audit_chains WHERE merchant_id = $1 FOR UPDATE', [merchant.id]);
    const saved = saves[name]?.({ url, itemId, brandId });
    try {
      await until(async () => (await app.pool.query(waiting)).rows.length > 0);
      await deleteOutdated();
    } finally {
      await holder.query('COMMIT');
      holder.release();
    }
    await saved;
    await deleteOutdated();
    expect(await imagesOf(app, merchant)).toEqual([url.slice(-64)]);
  });
});

test('another merchant that names the address keeps nothing', async () => {
  const { url } = await cover(40);
  const other = await createMerchant(app);
  await createItem(app, other, { metadata: { preview_image: url } });
  await makeOld(app, merchant);
  await deleteOutdated();
  expect(await imagesOf(app, merchant)).toEqual([]);
});

test('the images of a merchant on its way to another installation wait', async () => {
  await cover(40);
  await makeOld(app, merchant);
  const moving = `INSERT INTO merchant_states (merchant_id, suspended_at, suspension_reason, moving_since)
    VALUES ($1, now(), 'moving', now())`;
  await app.pool.query(moving, [merchant.id]);
  await deleteOutdated();
  expect(await imagesOf(app, merchant)).toHaveLength(1);
});
