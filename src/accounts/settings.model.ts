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
  /** The maximum number of concurrent sessions of a consumer; null for no limit. */
  sessionLimit: nullable(integer()),
  /** A session ends after this time without use; null for no limit. */
  sessionIdleMinutes: nullable(integer()),
  /** The time for which access continues after a failed payment; null for the default. */
  graceDays: nullable(integer()),
  /** The days on which a failed payment is retried; null for the default. */
  retryDays: nullable(integers()),
  /** A payment is refunded when the card network reports it as probably fraudulent. */
  refundFraudWarnings: defaulted(boolean()),
  /** `best`: a planned retry waits for its best hour. */
  retryTiming: defaulted(text<'fixed' | 'best'>()),
  /** Customers are reminded 30 and 7 days before their card expires. */
  cardExpiryReminders: defaulted(boolean()),
  /** The number of days before a renewal on which customers are reminded; 0 for no reminder. */
  renewalReminderDays: defaulted(integer()),
  /** How customers can pay; null for the default. */
  paymentMethods:
    nullable(
      texts<'card' | 'link' | 'google_pay' | 'apple_pay' | 'direct_debit' | 'ideal' | 'bancontact' | 'paypal'>(),
    ),
  /** When a first direct debit opens access. */
  debitAccess: defaulted(text<'at_submission' | 'with_payment'>()),
  /** A refund above this amount, in the major unit of its currency, requires a recent confirmation. */
  refundConfirmationAbove: defaulted(integer()),
  /** `required`: people who sign in for the merchant need a second factor or a passkey. */
  secondFactorPolicy: defaulted(text<'optional' | 'required'>()),
  /** The console shows the steps to the first sale. */
  setupChecklist: defaulted(boolean()),
  updatedAt: defaulted(time()),
}) {}
MerchantSettings.init(MerchantSettings.columns, { sequelize, tableName: 'merchant_settings' });
