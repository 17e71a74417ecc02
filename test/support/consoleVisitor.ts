import { call } from './client';
import { isTooWide, photograph, barriersOf, type Visitor } from './chromium';
import { password, type Person } from './factories';
import { type TestApp } from './startApp';

interface Account {
  access_token: string;
  account: { id: number; uuid: string; merchant_uuid: string };
}

/** A merchant in a browser, at the console of an app. */
export function consoleVisitor(app: () => TestApp, visitor: () => Visitor) {
  const open = (path: string) => visitor().page.goto(`${app().address}${path}`);
  return {
    open,
    heading: () => visitor().page.locator('h1').innerText(),

    /** Every page is accessible (axe), fits a phone, and breaks no rule of the page's policy. */
    look: async (name: string): Promise<void> => {
      const { page, complaints } = visitor();
      await photograph(page, name);
      expect([name, await barriersOf(page)]).toEqual([name, []]);
      await page.setViewportSize({ width: 320, height: 740 });
      expect([name, await isTooWide(page)]).toEqual([name, false]);
      await page.setViewportSize({ width: 1280, height: 860 });
      // A refused form is a 422, of which a browser makes a note.
      expect([name, complaints.filter((text) => !text.includes('422'))]).toEqual([name, []]);
    },

    /** By the form; answers the same merchant as a program. */
    register: async (email: string): Promise<Person> => {
      const { page } = visitor();
      await open('/console');
      await page.getByRole('link', { name: 'Create account' }).click();
      await page.getByLabel('Company or full name').fill('Daily Kick');
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      return signIn(app(), email);
    },

    /** Signs an existing merchant in. */
    enter: async (email: string): Promise<void> => {
      const { page } = visitor();
      await open('/console/sign-in');
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
    },
  };
}

async function signIn(app: TestApp, email: string): Promise<Person> {
  const credentials = { client_id: 'platform', grant_type: 'password', username: email, password };
  const { body } = await call<Account>(app, 'POST', '/accounts/authenticate', credentials);
  const { id, uuid, merchant_uuid } = body.account;
  return { token: body.access_token, refreshToken: '', id, uuid, merchantUuid: merchant_uuid, email };
}
