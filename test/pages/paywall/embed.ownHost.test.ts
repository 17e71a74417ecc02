import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Chromium, clickAway, describeInBrowser, pressInFrame, startChromium } from '../../support/chromium';
import { createShop } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

/** A developer tries the paywall on a page of the same host, on another port. */

describeInBrowser('the paywall in a frame of its own host', () => {
  let app: TestApp;
  let chromium: Chromium;
  let site: Server;
  let page: string;

  beforeAll(async () => {
    app = await startApp({ BASE_URL: 'http://127.0.0.1' });
    chromium = await startChromium();
    site = createServer((_request, response) => response.setHeader('Content-Type', 'text/html').end(page));
    site.listen(0, '127.0.0.1');
    await once(site, 'listening');
  });
  afterAll(async () => {
    await chromium.close();
    site.closeAllConnections();
    site.close();
    await once(site, 'close');
    await app.stop();
  });

  test('has a Close button, also after a step, and no frame of the page around it', async () => {
    const shop = await createShop(app);
    const paywall = `data-paywall-merchant="${shop.merchant.uuid}" data-paywall-item="${shop.item.id}"`;
    page = `<!doctype html><title>News</title><script src="${app.address}/embed.js"></script><button ${paywall}>Watch</button>`;
    const visitor = await chromium.newVisitor();
    await visitor.page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    await visitor.page.getByRole('button', { name: 'Watch' }).click();
    const frame = visitor.page.frameLocator('dialog iframe');
    await pressInFrame(frame.getByRole('link', { name: 'Get access' }));
    await frame.locator('#field-password').waitFor();
    expect(await frame.getByRole('contentinfo').count()).toBe(0);
    await clickAway(frame.getByRole('button', { name: 'Close' }));
    await visitor.page.locator('dialog').waitFor({ state: 'detached' });
    await visitor.page.goto(`${app.address}/paywall/${shop.merchant.uuid}/${shop.item.id}`);
    await visitor.page.getByRole('link', { name: 'Get access' }).waitFor();
    expect(await visitor.page.getByRole('button', { name: 'Close' }).count()).toBe(0);
    await visitor.context.close();
  });
});
