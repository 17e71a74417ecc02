import { cloudFrontKeys } from './access';
import { call } from './client';
import { createItem, createShop, type Shop } from './factories';
import { grant } from './grant';
import { type TestApp } from './startApp';

export const mediaHost = 'media.example.org';
export const mediaSecret = 'the secret of a media platform';
export const keyPairId = 'K2JCJMDEHXQW5F';
export const keys = cloudFrontKeys();

export const setMedia = (app: TestApp, { merchant }: Pick<Shop, 'merchant'>, fields: Record<string, unknown> = {}) =>
  call(
    app,
    'PUT',
    '/items/media/settings',
    {
      media_secret: mediaSecret,
      cloudfront_key_pair_id: keyPairId,
      cloudfront_private_key: keys.privateKey,
      cloudfront_hosts: [mediaHost],
      ...fields,
    },
    merchant,
  );

/** A merchant that signs its media, with an item that its consumer has access to. */
export async function createMediaShop(app: TestApp, fields: Record<string, unknown> = {}): Promise<Shop> {
  const shop = await createShop(app);
  const item = await createItem(app, shop.merchant, { item_type: 'jw_asset', ...fields });
  await setMedia(app, shop);
  await grant(app, { ...shop, item }, { from: '-1 hour', to: '1 hour' });
  return { ...shop, item };
}
