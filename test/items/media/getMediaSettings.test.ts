import { call } from '../../support/client';
import { createMerchant } from '../../support/factories';
import { keyPairId, mediaHost, setMedia } from '../../support/mediaSettings';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

test('200: nothing before, and then everything but the secrets', async () => {
  const [merchant, other] = [await createMerchant(app), await createMerchant(app)];
  const read = async () => (await call(app, 'GET', '/items/media/settings', undefined, merchant)).body;
  await setMedia(app, { merchant: other });
  expect(await read()).toEqual({
    has_media_secret: false,
    cloudfront_key_pair_id: null,
    has_cloudfront_private_key: false,
    cloudfront_hosts: [],
  });
  await setMedia(app, { merchant });
  expect(await read()).toEqual({
    has_media_secret: true,
    cloudfront_key_pair_id: keyPairId,
    has_cloudfront_private_key: true,
    cloudfront_hosts: [mediaHost],
  });
});
