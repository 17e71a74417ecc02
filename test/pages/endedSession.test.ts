import { createMerchant, createShop } from '../support/factories';
import { PageWalker } from '../support/pageWalker';
import { startApp, type TestApp } from '../support/startApp';

/** A form that is sent after the end of the session leads to a sign-in, and from there back to its page. */

let app: TestApp;
beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

describe('303: a form without a session leads to the sign-in', () => {
  const locationOf = async (shown: string, path: string, referer?: string) => {
    const walker = new PageWalker(app, referer === undefined ? {} : { Referer: referer });
    await walker.open(shown);
    const { status, headers } = await walker.submit(path, {});
    return [status, headers.get('location')];
  };

  test('of the console, and back to the page of the form', async () => {
    const path = '/console/items/7/deactivate';
    const next = encodeURIComponent('/console/items/7?done=saved');
    const sent = (referer?: string) => locationOf('/console/sign-in', path, referer);
    expect(await sent(`${app.address}/console/items/7?done=saved`)).toEqual([
      303,
      `/console/sign-in?next=${next}&ended=true`,
    ]);
    expect(await sent()).toEqual([303, '/console/sign-in?ended=true']);
    expect(await sent('https://other.example/console')).toEqual([303, '/console/sign-in?ended=true']);
  });

  test('of the portal, and back to the page of the form', async () => {
    const portal = `/portal/${(await createMerchant(app)).uuid}`;
    const next = encodeURIComponent(`${portal}/profile`);
    const sent = await locationOf(`${portal}/sign-in`, `${portal}/profile`, `${app.address}${portal}/profile`);
    expect(sent).toEqual([303, `${portal}/sign-in?next=${next}&ended=true`]);
  });

  test('and to no address that only takes forms', async () => {
    const portal = `/portal/${(await createMerchant(app)).uuid}`;
    const path = `${portal}/security/second-factor`;
    const sent = (from: string) => locationOf(`${portal}/sign-in`, path, `${app.address}${from}`);
    expect(await sent(path)).toEqual([303, `${portal}/sign-in?ended=true`]);
    expect(await sent(`${path}/?lang=de`)).toEqual([303, `${portal}/sign-in?ended=true`]);
    const next = encodeURIComponent(`${portal}/security?lang=de`);
    expect(await sent(`${portal}/security?lang=de`)).toEqual([303, `${portal}/sign-in?next=${next}&ended=true`]);
    const ofConsole = (from: string) => locationOf('/console/sign-in', '/console/items/7/deactivate', from);
    expect(await ofConsole(`${app.address}/console/items/7/deactivate`)).toEqual([303, '/console/sign-in?ended=true']);
  });

  test('of the paywall, with the plan', async () => {
    const { merchant, item, fee } = await createShop(app);
    const paywall = `/paywall/${merchant.uuid}/${item.id}`;
    const sent = await locationOf(
      `${paywall}?step=sign-in`,
      `${paywall}/pay`,
      `${app.address}${paywall}?fee=${fee.id}&other=1`,
    );
    expect(sent).toEqual([303, `${paywall}?step=sign-in&fee=${fee.id}&ended=true`]);
  });

  test('which says why, in each language, only then', async () => {
    const portal = `/portal/${(await createMerchant(app)).uuid}`;
    const walker = new PageWalker(app);
    expect((await walker.open(`${portal}/sign-in?ended=true`)).text).toContain('Your session has ended.');
    expect((await walker.open(`${portal}/sign-in?ended=true&lang=de`)).text).toContain('Ihre Sitzung');
    expect((await walker.open(`${portal}/sign-in?lang=en`)).text).not.toContain('data-keep');
  });
});
