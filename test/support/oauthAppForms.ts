import { type Visitor } from './chromium';
import { type Person } from './factories';
import { type TestApp } from './startApp';

/** Submits the form for a new app, which requires a recent confirmation. */
export async function addApp({ page }: Visitor, site: string, name: string): Promise<void> {
  await page.goto(`${site}/console/settings/apps`);
  await page.locator('form[action="/console/settings/apps"] input[name=name]').fill(name);
  await page.locator('form[action="/console/settings/apps"] button.main').click();
}

export async function countApps(app: TestApp, { id }: Pick<Person, 'id'>): Promise<number | undefined> {
  const { rows } = await app.pool.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM oauth_apps WHERE merchant_id = $1',
    [id],
  );
  return rows[0]?.count;
}
