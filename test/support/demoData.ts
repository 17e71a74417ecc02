import { type TestApp } from './startApp';
import { until } from './until';
import { enterConsole, type PageWalker } from './pageWalker';

export const demoPlace = '/console/demo-data';

/** Presses the button in the console. */
export async function askForDemoData(app: Pick<TestApp, 'address'>, email: string): Promise<PageWalker> {
  const walker = await enterConsole(app, email);
  await walker.open(demoPlace);
  await walker.submit(demoPlace);
  return walker;
}

interface Fill {
  state: string;
  stepsDone: number;
}

function untilFill({ pool }: Pick<TestApp, 'pool'>, merchantId: number, isReached: (fill: Fill) => boolean) {
  return until(async () => {
    const { rows } = await pool.query<Fill>(
      'SELECT state, steps_done AS "stepsDone" FROM demo_fills WHERE merchant_id = $1',
      [merchantId],
    );
    return rows[0] !== undefined && isReached(rows[0]);
  });
}

/** Waits until the account of a merchant is filled. */
export const isFilled = (app: Pick<TestApp, 'pool'>, merchantId: number) =>
  untilFill(app, merchantId, ({ state }) => state === 'done');

export const reachesStep = (app: Pick<TestApp, 'pool'>, merchantId: number, step: number) =>
  untilFill(app, merchantId, ({ stepsDone }) => stepsDone >= step);

/** Presses the button that removes demo data. */
export const removeDemo = (walker: PageWalker) => walker.submit(`${demoPlace}/remove`);
