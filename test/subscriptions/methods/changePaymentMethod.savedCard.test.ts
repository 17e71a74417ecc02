import { openPortalElsewhere } from '../../support/portalCards';
import { question, saveCard } from '../../support/savedCards';
import { startApp, type TestApp } from '../../support/startApp';

/** The first use of a saved card in a browser. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

test('409 card_confirmation_required: a browser that has not used the saved card', async () => {
  const { shop, path, walker, confirm } = await openPortalElsewhere(app);
  await saveCard(app, shop);
  const change = () => walker.submit(`${path}/payment-method`, { card: 'saved' });
  const asked = await change();
  expect([asked.status, asked.text.includes(question)]).toEqual([409, true]);
  const { status, headers } = await confirm({ at: 'payment-method' });
  expect([status, headers.get('location')]).toEqual([303, `${path}/payment-method`]);
  expect((await change()).status).toBe(303);
});
