import {
  boolean,
  defaulted,
  integer,
  integers,
  key,
  modelOf,
  nullable,
  text,
  texts,
  time,
} from '../adapters/postgres/columns';
import { sequelize } from '../adapters/postgres/connection';

/** The settings of a merchant. A merchant that never changed a setting has no row. */
export class MerchantSettings extends modelOf({
  merchantId: key(integer()),
  /** The most sessions that a consumer may have at once; null for no limit. */
  sessionLimit: nullable(integer()),
  /** A session ends when it was not used for this time; null for no such limit. */
  sessionIdleMinutes: nullable(integer()),
  /** How long access continues after a failed payment; null for the default. */
  graceDays: nullable(integer()),
  /** The days on which a failed payment is tried again; null for the default. */
  retryDays: nullable(integers()),
  /** A payment is refunded when the card network reports it as probably fraudulent. */
  refundFraudWarnings: defaulted(boolean()),
  /** `best`: a planned retry waits for its best hour. */
  retryTiming: defaulted(text<'fixed' | 'best'>()),
  /** Customers are reminded 30 and 7 days before their card expires. */
  cardExpiryReminders: defaulted(boolean()),
  /** How many days before a renewal customers are reminded; 0: not at all. */
  renewalReminderDays: defaulted(integer()),
  /** How customers can pay; null for the default. */
  paymentMethods: nullable(texts<'card' | 'direct_debit' | 'ideal' | 'bancontact'>()),
  /** When a first direct debit opens access. */
  debitAccess: defaulted(text<'at_submission' | 'with_payment'>()),
  updatedAt: defaulted(time()),
}) {}
MerchantSettings.init(MerchantSettings.columns, { sequelize, tableName: 'merchant_settings' });
