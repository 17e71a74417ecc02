import { createFee, createItem, createMerchant, type Person } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';

/** The language of a page: the choice in the address, the earlier choice, then the browser's languages. */

let app: TestApp;
let merchant: Person;
let paywall: string;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
  const { id } = await createItem(app, merchant);
  await createFee(app, merchant, id);
  paywall = `/paywall/${merchant.uuid}/${id}`;
});
afterAll(() => app.stop());

async function open(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${app.address}${path}`, { headers });
  return { html: await response.text(), cookies: response.headers.getSetCookie() };
}

test.each([
  ['de', 'Zugang erhalten', 'pro Monat'],
  ['fr', 'Obtenir l’accès', 'par mois'],
  ['es', 'Obtener acceso', 'al mes'],
  ['pt', 'Obter acesso', 'por mês'],
  ['it', 'Ottieni l’accesso', 'al mese'],
  ['tr', 'Erişim al', 'aylık'],
])('200: the paywall in %s', async (language, button, period) => {
  const { html } = await open(paywall, { 'Accept-Language': `${language};q=0.9,en;q=0.5` });
  expect(html).toContain(`<html lang="${language}" dir="ltr">`);
  expect(html).toContain(button);
  expect(html).toContain(period);
});

test('200: the choice in the address wins, and is kept for the next page', async () => {
  const { html, cookies } = await open(`${paywall}?lang=de`, { 'Accept-Language': 'fr' });
  expect(html).toContain('<html lang="de" dir="ltr">');
  const cookie = cookies.map((each) => each.split(';')[0]).join('; ');
  const next = await open(`/portal/${merchant.uuid}/sign-in`, { 'Accept-Language': 'fr', cookie });
  expect(next.html).toContain('<html lang="de" dir="ltr">');
});

test('200: the menu has each language by its own name, without the language of the page', async () => {
  const { html } = await open(`${paywall}?lang=de`);
  const names = [...html.matchAll(/hreflang="\w+">([^<]+)</g)].map(([, name]) => name);
  expect(names).toEqual(['English', 'العربية', 'Español', 'Français', 'Italiano', 'Português', 'Türkçe']);
  expect(html).toMatch(/<summary>.*Deutsch<\/summary>/s);
});

test('200: the console has English and Arabic only', async () => {
  const { html } = await open('/console/sign-in', { 'Accept-Language': 'de,ar;q=0.5' });
  expect(html).toContain('<html lang="ar" dir="rtl">');
  expect([...html.matchAll(/hreflang="(\w+)"/g)].map(([, tag]) => tag)).toEqual(['en']);
  const german = await open('/console/sign-in?lang=de');
  expect(german.html).toContain('<html lang="en" dir="ltr">');
});
