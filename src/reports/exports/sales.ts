import { readUsers } from '../../accounts/registeredUsers';
import { readDataCapturesAfter } from '../../entitlements/dataCaptures';
import { readFollowersAfter } from '../../accounts/merchants/followers';
import { readTimeline } from '../../customers/timelines';
import { readAuditAfter } from '../../audit/audit';
import { readInvoices } from '../../invoices/invoices';
import { isActiveOf } from '../../items/search';
import { master, merchant } from '../../kit/auth';
import { readId } from '../../kit/form';
import { readTestMailbox } from '../../mail/mail';
import { readUndeliveredAfter } from '../../mail/undelivered';
import { readBalanceMovements, readBalances } from '../../subscriptions/balances/movements';
import { listCancelOffers } from '../../subscriptions/cancelOffers/cancelOffers';
import { readTransactions } from '../../subscriptions/histories';
import { readDisputesAfter } from '../../subscriptions/provider/disputes';
import { readUnmatchedAfter } from '../../subscriptions/provider/unmatched';
import { readBalanceTransactionsAfter } from '../../subscriptions/settlement/balanceTransactions';
import { readDifferencesAfter } from '../../subscriptions/settlement/differences';
import { readJournal } from '../books/books';
import { readMovements, readTransitions } from '../rows';
import { exportSorts } from './exports.schemas';
import { byId, type List, needed, sortedBy, whole } from './lists';
import { selectAccesses } from './sales.model';
import { readSubscriptions } from './subscriptions';

const range = ['from', 'to', 'currency', 'item_id', 'account_id'] as const;

/** Exports of sales. */
export const salesLists = {
  subscriptions: {
    auth: merchant('payments:read'),
    filters: ['status', 'account_id', 'item_id', 'never_paid', 'ids'],
    columns: `subscription_id status account_id email item_id item_title access_fee_id currency price period_quantity
      period voucher_code country_iso created_at trial_end current_period_end canceled_at ended_at`,
    sorts: exportSorts.subscriptions,
    read: readSubscriptions,
  },
  'payment-history': {
    auth: merchant('payments:read'),
    filters: ['type', 'startDate', 'endDate', 'exclude', 'account_id', 'item_id', 'amount_from', 'amount_to'],
    columns: `trx_token transaction_token action_type consumer_id consumer_email item_id item_title
      access_fee_description charged_amount currency_iso payment_method_name payment_tool_info voucher_code
      voucher_discount country_iso created_at=timestamp is_amount_assumed balance voucher_discount_amount
      pending_refund_amount recorded_at`,
    sorts: exportSorts['payment-history'],
    read: (caller, asked) => readTransactions(caller, sortedBy(exportSorts['payment-history'], asked)),
  },
  invoices: {
    auth: merchant('payments:read'),
    filters: ['search', 'startDate', 'endDate'],
    searchKeys: ['text'],
    columns: `id number kind is_test issued_at corrects trx_token consumer_id consumer_email currency_iso net_amount
      tax_amount gross_amount tax_rate tax_country tax_treatment buyer_tax_number tax_number_confirmed_at
      tax_number_consultation tax_number_entry`,
    sorts: exportSorts.invoices,
    read: (caller, { search: [text] = [], startDate, endDate, order }) =>
      readInvoices(caller, { search: text?.replace('text:', ''), startDate, endDate, order }),
  },
  'cancel-offers': {
    auth: merchant('payments:read'),
    filters: [],
    columns: `id kind percent charges pause_months access_fee_id item_id item_title reason shown accepted refused share
      created_at ended_at`,
    read: async (caller) => whole((await listCancelOffers(caller)).collection),
  },
  'unmatched-payments': {
    auth: merchant('payments:read'),
    filters: [],
    columns: 'id purchase reference customer_id amount currency status failure paid_at found_at settled_at',
    read: (caller) => byId((limit, after) => readUnmatchedAfter(caller, limit, after)),
  },
  disputes: {
    auth: merchant('payments:read'),
    filters: [],
    columns: `id reference transaction purchase customer_id reason status amount currency fee fee_currency opened_at due_at
      evidence_sent_at`,
    read: (caller) => byId((limit, after) => readDisputesAfter(caller, limit, after)),
  },
  differences: {
    auth: merchant('payments:read'),
    filters: [],
    columns: `id kind reference payment transaction provider provider_amount ledger_amount currency status resolution note
      happened_at found_at resolved_at`,
    read: (caller) => byId((limit, after) => readDifferencesAfter(caller, limit, after)),
  },
  'balance-transactions': {
    auth: merchant('payments:read'),
    filters: [],
    columns: 'id reference kind payment object provider amount currency fee fee_currency happened_at',
    read: (caller) => byId((limit, after) => readBalanceTransactionsAfter(caller, limit, after)),
  },
  accesses: {
    auth: merchant('items:read'),
    filters: ['account_id'],
    columns: 'id account_id email item_id item_title source starts_at expires_at revoked_at',
    read: ({ merchantId }, { account_id: accountId }) =>
      byId((limit, after) => selectAccesses({ merchantId, accountId }, limit, after)),
  },
  movements: {
    auth: merchant('reports:read'),
    filters: [...range, 'kind', 'first', 'customers', 'country_iso', 'cohort', 'subscription_id'],
    columns: `id kind reason subscription_id account_id item_id access_fee_id currency amount mrr cohort
      happened_at=created_at`,
    read: readMovements,
  },
  transitions: {
    auth: merchant('reports:read'),
    filters: [...range, 'what', 'state'],
    columns: 'id subscription_id account_id email item_id item_title from to reason currency amount created_at',
    read: readTransitions,
  },
  balances: {
    auth: merchant('payments:read'),
    filters: ['currency'],
    columns: 'account_id email currency balance updated_at',
    read: readBalances,
  },
  'balance-movements': {
    auth: merchant('payments:read'),
    filters: ['account_id', 'currency'],
    columns: 'id account_id amount currency reason note trx_token transaction_token actor_account_id created_at',
    read: readBalanceMovements,
  },
  journal: {
    auth: merchant('reports:read'),
    filters: ['from', 'to', 'currency', 'entry_kind', 'account'],
    columns: 'id day kind about trx_token debit_account credit_account amount currency booked_at',
    read: readJournal,
  },
} as const satisfies Record<string, List>;

/** Exports of customers, staff and their actions. */
export const accountLists = {
  customers: {
    auth: merchant('accounts:read'),
    filters: ['search', 'active', 'ids'],
    searchKeys: ['title', 'id', 'merchant_id', 'merchant_uuid'],
    columns: 'id uuid email full_name=fullName is_active=isActive created_at=createdAt',
    sorts: exportSorts.customers,
    read: (caller, asked) => {
      const { search, active, sort, order } = sortedBy(exportSorts.customers, asked);
      const ids = asked.ids?.flatMap((text) => readId(text) ?? []);
      return readUsers(caller, { search, isActive: isActiveOf(active), ids, sort, order });
    },
  },
  'data-captures': {
    auth: merchant('accounts:read'),
    filters: [],
    columns: 'id email full_name company created_at updated_at',
    read: (caller) => byId((limit, after) => readDataCapturesAfter(caller, limit, after)),
  },
  'undelivered-mails': {
    auth: merchant('accounts:read'),
    filters: [],
    columns: 'id account_id to template reason answer created_at given_up_at',
    read: (caller) => byId((limit, after) => readUndeliveredAfter(caller, limit, after)),
  },
  timeline: {
    auth: merchant('accounts:read'),
    filters: ['account_id'],
    needs: ['account_id'],
    columns: 'happened_at kind type summary reason amount reference workflow_id',
    read: (caller, { account_id: accountId }) => readTimeline(caller, needed(accountId)),
  },
  audit: {
    auth: merchant('accounts:read'),
    filters: ['action', 'actor_account_id', 'object_type', 'object_id'],
    columns: `id action object_type object_id actor_account_id actor_name acted_by acted_by_name request_id address created_at
      previous_hash hash`,
    sorts: exportSorts.audit,
    read: (caller, asked) => byId((limit, after) => readAuditAfter(caller, asked, limit, after)),
  },
  followers: {
    auth: master(),
    filters: [],
    columns: 'id uuid email full_name is_active=active scopes created_at',
    read: (caller) => byId((limit, after) => readFollowersAfter(caller, limit, after)),
  },
  'test-mailbox': {
    auth: merchant('accounts:read'),
    filters: ['to_email'],
    columns: 'id message_id account_id to template subject attachment_name created_at',
    read: (caller, { to_email: to }) => readTestMailbox(caller, to),
  },
} as const satisfies Record<string, List>;
