import { call } from '../../support/client';
import { reaches } from '../../support/factories';
import { openPortalElsewhere } from '../../support/portalCards';
import { question } from '../../support/savedCards';
import { startApp, type TestApp } from '../../support/startApp';
import { passDays } from '../../support/testClock';

/** The first use of a saved card in a browser. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

test('409 card_confirmation_required: the end of a pause charges a card that the browser has not used', async () => {
  const { shop, id, path, walker, confirm } = await openPortalElsewhere(app);
  await call(app, 'POST', `/subscriptions/${id}/pause`, {}, shop.consumer);
  // A planned pause is taken back without a charge.
  expect((await walker.submit(`${path}/resume`)).status).toBe(303);
  await call(app, 'POST', `/subscriptions/${id}/pause`, {}, shop.consumer);
  await passDays(app, shop.merchant, 33);
  await reaches(app, shop.consumer, id, 'paused');
  const asked = await walker.submit(`${path}/resume`);
  expect([asked.status, asked.text.includes(question)]).toEqual([409, true]);
  const { status, headers } = await confirm();
  expect([status, headers.get('location')]).toEqual([303, path]);
  expect((await walker.submit(`${path}/resume`)).status).toBe(303);
});
