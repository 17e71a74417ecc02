import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type Files,
  forbiddenImports,
  importCycles,
  loneTestsOf,
  misnamedFiles,
  readTree,
  smallFoldersOf,
  startsOnImport,
  upwardImports,
} from '../support/architecture';

const root = path.join(__dirname, '../..');
const files = readTree(root);

describe('the tree', () => {
  test('is read: an empty list would please every check below', () => {
    expect([...files.keys()]).toEqual(expect.arrayContaining(['src/config.ts', 'src/kit/endpoint.ts']));
  });

  test('imports only what the table allows', () => expect(forbiddenImports(files)).toEqual([]));

  test('has no import cycle', () => expect(importCycles(files)).toEqual([]));

  test('imports no upper room', () => expect(upwardImports(files)).toEqual([]));

  test('names files by what they hold', () => expect(misnamedFiles(files)).toEqual([]));

  test('has no folder with fewer than three files', () => expect(smallFoldersOf(files)).toEqual([]));

  test('has no folder below test with a single file', () => expect(loneTestsOf(root)).toEqual([]));

  test('starts work nowhere but in main', () => expect(startsOnImport(files)).toEqual([]));
});

const one = (name: string, text: string): Files => new Map([[name, text]]);
const tree = (names: readonly string[]): Files => new Map(names.map((name) => [name, '']));

describe('the check of imports reports', () => {
  test.each([
    ['src/vouchers/vouchers.endpoints.ts', `import { Voucher } from './vouchers.model';`],
    ['src/vouchers/vouchers.endpoints.ts', `import { presentVoucher } from './vouchers.presenter';`],
    ['src/vouchers/vouchers.endpoints.ts', `import * as items from '../items/items';`],
    ['src/vouchers/vouchers.endpoints.ts', `import { transaction } from '../adapters/postgres/connection';`],
    ['src/vouchers/vouchers.ts', `import { voucherEndpoints } from './vouchers.endpoints';`],
    ['src/vouchers/vouchers.ts', `import { Item } from '../items/items.model';`],
    ['src/vouchers/vouchers.ts', `import { type Item } from '../items/items.schemas';`],
    ['src/vouchers/vouchers.ts', `import { presentItem } from '../items/items.presenter';`],
    ['src/vouchers/vouchers.ts', `import { config } from '../config';`],
    ['src/vouchers/vouchers.ts', `import { createSubscription } from '../../workflows/subscription';`],
    ['src/vouchers/vouchers.ts', `import { type Activities } from '../../activities';`],
    ['src/vouchers/gifts.ts', `import { Item } from '../items/items.model';`],
    ['src/vouchers/vouchers.presenter.ts', `import { Voucher } from './vouchers.model';`],
    ['src/vouchers/vouchers.presenter.ts', `import { z } from 'zod';`],
    ['src/vouchers/vouchers.presenter.ts', `import { type Socket } from 'node:net';`],
    ['src/vouchers/vouchers.presenter.ts', `import { Item } from '../items/items.schemas';`],
    ['src/vouchers/vouchers.presenter.ts', `import { transaction } from '../adapters/postgres';`],
    ['src/vouchers/vouchers.model.ts', `import { publish } from '../notifications/publish';`],
    ['src/vouchers/vouchers.model.ts', `import { sendMail } from '../adapters/mailer';`],
    ['src/vouchers/vouchers.model.ts', `import { AppError } from '../kit/errors';`],
    ['src/vouchers/vouchers.schemas.ts', `import { createVoucher } from './vouchers';`],
    ['src/vouchers/vouchers.schemas.ts', `import { type Voucher } from './vouchers.model';`],
    ['src/kit/http.ts', `import { endpoints } from '../endpoints';`],
    ['src/kit/http.ts', `import { logger } from '../adapters/logger';`],
    ['src/kit/http.ts', `import { config } from '../config';`],
    ['src/kit/page.ts', `import type { Voucher } from '../vouchers/vouchers.schemas';`],
    ['src/adapters/temporal.ts', `import { createVoucher } from '../vouchers/vouchers';`],
    ['src/adapters/temporal.ts', `import { subscription } from '../../workflows';`],
    ['src/config.ts', `import { logger } from './adapters/logger';`],
    ['src/notifications/publish.ts', `import { config } from '../config';`],
    ['src/notifications/events.ts', `import { publish } from './publish';`],
    ['src/billing/periods.ts', `import { Subscription } from '../model';`],
    ['src/billing/periods.ts', `import { DateTime } from 'luxon';`],
    ['src/billing/periods.ts', `import { randomInt } from 'node:crypto';`],
    ['src/pages/portal/page.ts', `import { card } from '../paywall/card';`],
    ['src/pages/portal/page.ts', `import { Voucher } from '../../vouchers/vouchers.model';`],
    ['src/pages/layout.ts', `import { card } from './paywall/card';`],
    ['src/pages/layout/lists.ts', `import { card } from '../customer/cards';`],
    ['src/pages/customer/cards.ts', `import { card } from '../paywall/card';`],
    ['src/pages/customer/cards.ts', `import { Card } from '../../subscriptions/cards.model';`],
    ['workflows/messages/charges.ts', `import { policies } from '../policies';`],
    ['workflows/messages/charges.ts', `import { type Voucher } from '../../src/vouchers/vouchers.schemas';`],
    ['workflows/messages/charges.ts', `import { type Duration } from '@temporalio/common';`],
    ['workflows/subscription.ts', `import { createActivities } from '../activities';`],
    ['workflows/subscription.ts', `import { chargeCard } from '../activities/billing';`],
    ['workflows/subscription.ts', `import { createHash } from 'node:crypto';`],
    ['workflows/subscription.ts', `import fs from 'fs';`],
    ['workflows/subscription.ts', `import { z } from 'zod';`],
    ['workflows/subscription.ts', `import { Client } from '@temporalio/client';`],
    ['workflows/subscription.ts', `import { type Caller } from '../src/kit/auth';`],
    ['activities/billing.ts', `import { Subscription } from '../src/subscriptions/subscriptions.model';`],
    ['activities/billing.ts', `import { query } from '../src/adapters/postgres/statement';`],
    ['activities/billing.ts', `import { config } from '../src/config';`],
    ['workers/worker.ts', `import { charge } from '../src/subscriptions/payments/service';`],
    ['workers/worker.ts', `import { subscription } from '../workflows/subscription';`],
    ['src/app.ts', `import { createActivities } from '../activities';`],
    ['src/app.ts', `import { startApp } from '../test/support/startApp';`],
    ['src/kit/form.ts', `import { seed } from '../../scripts/seed';`],
    ['src/stray.ts', `import { z } from 'zod';`],
  ])('%s: %s', (name, text) => {
    expect(forbiddenImports(one(name, text))).toEqual([expect.stringContaining(`${name}:1 may not import`)]);
  });

  test.each([
    ['a re-export', `export { Item } from '../items/items.model';`],
    ['a re-export of everything', `export * from '../items/items.model';`],
    ['a type in a type position', `let item: import('../items/items.model').Item;`],
    ['an import for its effects', `import '../items/items.model';`],
    ['a dynamic import', `const load = () => import('../items/items.model');`],
    ['a require', `const items = require('../items/items.model');`],
    ['an import with equals', `import items = require('../items/items.model');`],
    ['an import with an extension', `import { Item } from '../items/items.model.js';`],
    ['a default import beside types', `import items, { type Item } from '../items/items.model';`],
  ])('%s', (_form, text) => {
    const reported = [expect.stringContaining('src/vouchers/vouchers.ts:1 may not import')];
    expect(forbiddenImports(one('src/vouchers/vouchers.ts', text))).toEqual(reported);
  });
});

describe('the check of imports accepts', () => {
  test.each([
    [
      'src/app.ts',
      `import { endpoints } from './vouchers.endpoints'; import { Voucher } from './vouchers/vouchers.model';`,
    ],
    ['src/main.ts', `import { config } from './config'; import { createApp } from './app';`],
    ['src/endpoints.ts', `import { voucherEndpoints } from './vouchers/vouchers.endpoints';`],
    [
      'src/vouchers/vouchers.endpoints.ts',
      `import * as vouchers from './vouchers'; import { Voucher } from './vouchers.schemas';`,
    ],
    ['src/vouchers/vouchers.endpoints.ts', `import { endpoint } from '../kit/endpoint';`],
    ['src/vouchers/gifts.endpoints.ts', `import * as gifts from './vouchers';`],
    [
      'src/vouchers/vouchers.ts',
      `import { Voucher } from './vouchers.model'; import { presentVoucher } from './vouchers.presenter';`,
    ],
    ['src/vouchers/vouchers.ts', `import * as items from '../items/accessFees/service';`],
    ['src/vouchers/vouchers.ts', `import { ruleTypes, type VoucherInput } from './vouchers.schemas';`],
    ['src/vouchers/gifts.ts', `import { Voucher } from './vouchers.model';`],
    ['src/vouchers/vouchers.presenter.ts', `import { type GiftResponse } from './gifts.schemas';`],
    ['src/vouchers/vouchers.presenter.ts', `import { unixSeconds } from '../kit/time';`],
    ['src/vouchers/vouchers.ts', `import { type VoucherInput } from './vouchers.schemas';`],
    [
      'src/vouchers/vouchers.ts',
      `import { transaction } from '../adapters/postgres'; import { now } from '../adapters/clock';`,
    ],
    ['src/vouchers/vouchers.ts', `import { workflowIds } from '../../workflows/messages';`],
    ['workflows/messages/steps.ts', `import { type SubscriptionSnapshot } from './subscriptions';`],
    ['src/vouchers/vouchers.ts', `import { discounted } from '../billing/discount';`],
    [
      'src/vouchers/vouchers.ts',
      `import { publish } from '../notifications/publish'; import { events } from '../notifications/events';`,
    ],
    [
      'src/vouchers/vouchers.presenter.ts',
      `import { type Voucher } from './vouchers.model'; import { type z } from 'zod'; import type { VoucherView } from './vouchers.schemas';`,
    ],
    [
      'src/vouchers/vouchers.model.ts',
      `import { Item } from '../items/items.model'; import { sequelize } from '../adapters/postgres/connection';`,
    ],
    [
      'src/vouchers/vouchers.schemas.ts',
      `import { Item } from '../items/items.schemas'; import { formInt } from '../kit/form';`,
    ],
    ['src/notifications/publish.ts', `import { events } from './events'; import { append } from './stream';`],
    ['src/notifications/stream.ts', `import { listen } from '../adapters/postgres/listen';`],
    [
      'src/adapters/temporal.ts',
      `import { taskQueue } from '../../workflows/messages'; import { config } from '../config';`,
    ],
    [
      'src/pages/portal/page.ts',
      `import { chart } from '../charts'; import { layout } from '../layout'; import { row } from './row';`,
    ],
    ['src/pages/portal/page.ts', `import * as accounts from '../../accounts/service';`],
    ['src/pages/portal/page.ts', `import { card } from '../customer/cards';`],
    ['src/pages/customer/cards.ts', `import { cardEndpoints } from '../../subscriptions/cards/endpoints';`],
    ['src/pages/portal/page.ts', `import { accountEndpoints } from '../../accounts/endpoints';`],
    ['src/billing/dunning.ts', `import { periodEnd } from './periods';`],
    [
      'workflows/subscription.ts',
      `import { type Activities } from '../activities'; import { sleep } from '@temporalio/workflow';`,
    ],
    [
      'workflows/subscription.ts',
      `import { nextPeriod } from '../src/billing/periods'; import { quick } from './policies';`,
    ],
    [
      'activities/billing.ts',
      `import * as payments from '../src/subscriptions/payments/service'; import { asFailure } from './failure';`,
    ],
    ['activities/notifications.ts', `import { publish } from '../src/notifications/publish';`],
    [
      'workers/worker.ts',
      `import { createActivities } from '../activities'; import { connect } from '../src/adapters/temporal';`,
    ],
    ['scripts/seed.ts', `import { config } from '../src/config'; import { createApp } from '../src/app';`],
    ['bench/access.ts', `import { createActivities } from '../activities'; import { seed } from '../scripts/seed';`],
    ['src/kit/http.ts', `// import { config } from '../config';\nconst text = "import { config } from '../config'";`],
  ])('%s: %s', (name, text) => expect(forbiddenImports(one(name, text))).toEqual([]));
});

describe('the other checks report', () => {
  test('a cycle, however long, and through a folder', () => {
    const files = new Map([
      ['src/adapters/a.ts', `import { b } from './b';`],
      ['src/adapters/b/index.ts', `export * from './c';`],
      ['src/adapters/b/c.ts', `const a = () => import('../a');`],
      ['src/adapters/d.ts', `import { a } from './a';`],
    ]);
    expect(importCycles(files)).toEqual([
      'src/adapters/a.ts → src/adapters/b/index.ts → src/adapters/b/c.ts → src/adapters/a.ts',
    ]);
  });

  test('a cycle of types', () => {
    const files = new Map([
      ['src/kit/a.ts', `import { type B } from './b';`],
      ['src/kit/b.ts', `import { a } from './a';`],
    ]);
    expect(importCycles(files)).toEqual(['src/kit/a.ts → src/kit/b.ts → src/kit/a.ts']);
  });

  test('files without a name of their own, of an unknown kind, and directly in src', () => {
    const misnamed = [
      'src/vouchers/service.ts',
      'src/vouchers/model.ts',
      'src/vouchers/gifts.helpers.ts',
      'src/vouchers/gifts.model.schemas.ts',
      'src/server.ts',
    ];
    const named = ['src/vouchers/gifts.model.ts', 'src/vouchers/gifts.ts', 'src/main.ts', 'workflows/refund.ts'];
    expect(misnamedFiles(tree([...misnamed, ...named]))).toEqual(misnamed);
  });

  test('a folder below test with a single file', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'tests-'));
    for (const name of [
      'test/a/one.test.ts',
      'test/b/one.test.ts',
      'test/b/two.test.ts',
      'test/c/one.test.ts',
      'test/c/d/x.ts',
    ]) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), '');
    }
    expect(loneTestsOf(folder)).toEqual(['test/a/one.test.ts']);
    rmSync(folder, { recursive: true });
  });

  test('folders with fewer than three files', () => {
    const folder = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name}/${index}.ts`);
    const files = [...folder('src/a', 3), ...folder('src/b', 2), ...folder('src/b/c', 4), ...folder('src/a/d', 1)];
    expect(smallFoldersOf(tree(files))).toEqual(['src/b', 'src/a/d']);
  });

  test.each([
    ['src/items/items.ts', `import { findOffer } from '../vouchers/offers';`],
    ['src/kit/http.ts', `import { type Caller } from '../accounts/tokens/callers';`],
    ['src/billing/periods.ts', `import { policies } from '../../workflows/policies';`],
    ['src/adapters/outbox.ts', `const load = () => import('../mail/mail');`],
    ['src/strangers/strangers.ts', `import { AppError } from '../kit/errors';`],
  ])('an upper room, or no room: %s: %s', (name, text) => {
    expect(upwardImports(one(name, text))).toEqual([expect.stringContaining(`${name}:1 imports`)]);
  });

  test.each([
    ['src/vouchers/offers.ts', `import { Item } from '../items/items';`],
    ['src/vouchers/offers.ts', `import { z } from 'zod'; import { terms } from './terms';`],
    ['workflows/subscription.ts', `import { periodEnd } from '../src/billing/periods';`],
    ['src/billing/periods.ts', `import { type Plan } from '../../workflows/messages/plans';`],
  ])('no room on the same floor or below: %s: %s', (name, text) => {
    expect(upwardImports(one(name, text))).toEqual([]);
  });

  test.each([
    `server.listen(8080);`,
    `if (true) setInterval(poll, 5);`,
    `const rows = await read();`,
    `process.on('SIGTERM', stop);`,
  ])('work that starts on import: %s', (text) => {
    expect(startsOnImport(one('src/adapters/sockets.ts', text))).toEqual([
      'src/adapters/sockets.ts:1 starts work on import',
    ]);
    expect(startsOnImport(one('src/main.ts', text))).toEqual([]);
    expect(startsOnImport(one('src/adapters/sockets.ts', `async function start() { ${text} }`))).toEqual([]);
  });
});
