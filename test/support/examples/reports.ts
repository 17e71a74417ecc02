import { randomUUID } from 'node:crypto';
import { createSchedule, daily, questionTokenOf, stopTokenOf } from '../reportSchedules';
import { datevNumbers, setAllDatev } from '../datev';
import { type World } from '../world';
import { type Example, type Examples } from './example';

const ofJanuary = { from: '2026-01-01', to: '2026-01-31', currency: 'EUR' };
const ofOtherLists = 'asked for by other lists, whose own test holds another merchant’s';
const series: Example = { request: () => ({ query: { ...ofJanuary, interval: 'week' } }) };

let latest: Promise<unknown> = Promise.resolve();

/**
 * Older schedules and questions make room, because a merchant has at most 20 schedules, and at most 20 new recipients a
 * day. The newest ones can be in use by other requests, of which there are at most 12 at a time. So one is created after the
 * other.
 */
function newSchedule(world: World, fields: Record<string, unknown> = {}): Promise<number> {
  const created = latest.then(() => createWithRoom(world, fields));
  latest = created.catch(() => undefined);
  return created;
}

async function createWithRoom({ app, merchant }: World, fields: Record<string, unknown>): Promise<number> {
  const newest = (column: string, order: string, table: string) =>
    `SELECT ${column} FROM ${table} WHERE merchant_id = $1 ORDER BY ${order} DESC LIMIT 12`;
  await app.pool.query(
    `DELETE FROM report_schedules WHERE merchant_id = $1 AND id NOT IN (${newest('id', 'id', 'report_schedules')})`,
    [merchant.id],
  );
  await app.pool.query(
    `DELETE FROM report_recipients WHERE merchant_id = $1
     AND address_hash NOT IN (${newest('address_hash', 'created_at', 'report_recipients')})`,
    [merchant.id],
  );
  return (await createSchedule(app, merchant, fields)).body.id;
}

const ofSchedule: Example = {
  request: async (world) => ({ params: { id: await newSchedule(world) } }),
  owned: { 'params.id': 'merchant' },
};

const unownedLink = { 'params.token': 'sealed: who knows it reads the recipient’s mails' };

/** The link of a recipient whom no other schedule has, because a recipient leaves all of them. */
const stopLink: Example = {
  request: async (world) => {
    const recipient = `${randomUUID()}@example.org`;
    const id = await newSchedule(world, { recipients: [recipient] });
    return { params: { token: await stopTokenOf(world.app, id, recipient) } };
  },
  unowned: unownedLink,
};

/** A new recipient, by the link in the question. */
async function askedRecipient(world: World) {
  const recipient = `${randomUUID()}@example.org`;
  await newSchedule(world, { recipients: [recipient] });
  return { params: { token: await questionTokenOf(world.app, world.merchant, recipient) } };
}

export const reportExamples: Examples = {
  getSummary: { request: () => ({ query: ofJanuary }) },
  getRevenue: {
    request: () => ({ query: { ...ofJanuary, interval: 'month', group_by: 'item' } }),
    unowned: { 'query.group_by': 'what to group by, and no row' },
  },
  getSubscriptionReport: series,
  getMrr: series,
  getCustomerReport: series,
  getTrialReport: series,
  getDunningReport: series,
  getCohorts: { request: () => ({ query: ofJanuary }) },
  listDefinitions: { request: () => ({}) },
  getLiabilities: { request: () => ({ query: { to: '2026-01-31', currency: 'EUR' } }) },
  getTrialBalance: { request: () => ({ query: { ...ofJanuary, currency: 'EUR' } }) },
  listJournal: {
    request: () => ({ query: { ...ofJanuary, entry_kind: 'charge', account: 'revenue', page: 1 } }),
    unowned: { 'query.account': 'the name of an account of the journal, of which each merchant has its own' },
  },
  getDeferredRevenue: { request: () => ({ query: { to: '2026-01-31', currency: 'EUR' } }) },
  getDatevSettings: { request: () => ({}) },
  setDatevSettings: { request: () => ({ body: { ...datevNumbers, account_numbers: { bank: '1210' } } }) },
  exportDatev: {
    request: async ({ app }) => {
      await setAllDatev(app);
      return { query: ofJanuary };
    },
  },
  listMovements: {
    request: ({ consumer, item }) => ({
      query: { ...ofJanuary, kind: 'new', account_id: consumer.id, item_id: item.id, cohort: '2026-01', page: 1 },
    }),
    owned: { 'query.account_id': 'merchant', 'query.item_id': 'merchant' },
    unowned: { 'query.subscription_id': 'a filter: another merchant’s has no lines here' },
  },
  listTransitions: {
    request: ({ consumer, item }) => ({
      query: { ...ofJanuary, what: 'renewed', state: 'active', account_id: consumer.id, item_id: item.id },
    }),
    owned: { 'query.account_id': 'merchant', 'query.item_id': 'merchant' },
  },
  listReportTransactions: {
    request: ({ consumer, item, fee }) => ({
      query: { ...ofJanuary, type: 'charge', account_id: consumer.id, item_id: item.id, access_fee_id: fee.id },
    }),
    owned: { 'query.account_id': 'merchant', 'query.item_id': 'merchant', 'query.access_fee_id': 'merchant' },
  },
  exportList: {
    request: ({ consumer, item }) => ({
      params: { list: 'movements' },
      query: { ...ofJanuary, kind: 'new', account_id: consumer.id, item_id: item.id },
    }),
    owned: { 'query.account_id': 'merchant', 'query.item_id': 'merchant' },
    unowned: {
      'params.list': 'the name of a list, of which each merchant has its own',
      'query.subscription_id': 'a filter: another merchant’s has no lines here',
      'query.actor_account_id': 'a filter of the audit log, which is each merchant’s own',
      'query.object_id': 'a filter of the audit log, which is each merchant’s own',
      'query.package_id': ofOtherLists,
      'query.voucher_id': ofOtherLists,
      'query.webhook_id': ofOtherLists,
      'query.code_id': ofOtherLists,
    },
  },
  createReportSchedule: {
    request: async (world) => {
      await newSchedule(world);
      return { body: { ...daily, time_zone: 'Europe/Berlin', language: 'ar' } };
    },
  },
  listReportSchedules: { request: () => ({}) },
  getReportSchedule: ofSchedule,
  updateReportSchedule: {
    ...ofSchedule,
    request: async (world) => ({
      params: { id: await newSchedule(world) },
      body: { ...daily, cadence: 'weekly', time_zone: 'UTC', language: 'en' },
    }),
  },
  deleteReportSchedule: ofSchedule,
  showReportStop: stopLink,
  submitReportStop: stopLink,
  showReportConfirmation: { request: askedRecipient, unowned: unownedLink },
  submitReportConfirmation: {
    request: async (world) => ({ ...(await askedRecipient(world)), body: { answer: 'confirm' } }),
    unowned: unownedLink,
  },
  createAnalyticsEvent: {
    request: ({ item }) => ({ body: { type: 'paywall_view', item_id: item.id, session_id: 'visit-1' } }),
    owned: { 'body.item_id': 'merchant' },
    unowned: { 'body.session_id': 'what an app calls a visit: of it only a hash is kept' },
  },
  getFunnel: { request: () => ({ query: { from: '2026-01-01', to: '2026-01-31' } }) },
  listItemEvents: { request: () => ({ query: { from: '2026-01-01', to: '2026-01-31' } }) },
  exportAnalytics: {
    request: () => ({ params: { file: 'audience' }, query: { from: '2026-01-01', to: '2026-01-31' } }),
    unowned: { 'params.file': 'the name of a file, of which each merchant has its own' },
  },
  getAudience: { request: () => ({ query: { from: '2026-01-01', to: '2026-01-31' } }) },
};
