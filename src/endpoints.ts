import { activationEndpoints } from './accounts/activation/endpoints';
import { detailEndpoints } from './accounts/details/endpoints';
import { accountEndpoints } from './accounts/endpoints';
import { passwordResetEndpoints } from './accounts/passwordReset/endpoints';
import { pinCodeEndpoints } from './accounts/pinCodes/endpoints';
import { registerFieldEndpoints } from './accounts/registerFields/endpoints';
import { registeredUserEndpoints } from './accounts/registeredUsers/endpoints';
import { mediaEndpoints } from './accounts/media/endpoints';
import { profileEndpoints } from './accounts/profiles/endpoints';
import { oauthAppEndpoints } from './accounts/oauthApps/endpoints';
import { passwordEndpoints } from './accounts/passwords/endpoints';
import { settingsEndpoints } from './accounts/settings/endpoints';
import { socialEndpoints } from './accounts/social/endpoints';
import { tokenEndpoints } from './accounts/tokens/endpoints';
import { timelineEndpoints } from './accounts/timelines/endpoints';
import { customerEndpoints } from './accounts/customers/endpoints';
import { externalAccountEndpoints } from './accounts/externalAccounts/endpoints';
import { followerEndpoints } from './accounts/followers/endpoints';
import { impersonationEndpoints } from './accounts/impersonation/endpoints';
import { dataCaptureEndpoints } from './accounts/dataCaptures/endpoints';
import { platformKeyEndpoints } from './accounts/platformKeys/endpoints';
import { privacyEndpoints } from './accounts/privacy/endpoints';
import { analyticsEndpoints } from './analytics/endpoints';
import { brandingEndpoints } from './branding/endpoints';
import { externalPaymentEndpoints } from './externalPayments/endpoints';
import { storeNotificationEndpoints } from './externalPayments/notifications/endpoints';
import { storeEndpoints } from './externalPayments/stores/endpoints';
import { featureEndpoints } from './features/endpoints';
import { auditEndpoints } from './audit/endpoints';
import { healthEndpoints } from './health/endpoints';
import { accessCodeEndpoints } from './items/accessCodes/endpoints';
import { accessEndpoints } from './items/access/endpoints';
import { grantEndpoints } from './items/access/grants/endpoints';
import { purchaseEndpoints } from './items/access/purchases/endpoints';
import { trialEndpoints } from './items/access/trials/endpoints';
import { itemMediaEndpoints } from './items/media/endpoints';
import { accessFeeEndpoints } from './items/accessFees/endpoints';
import { accessTypeEndpoints } from './items/accessTypes/endpoints';
import { assetEndpoints } from './items/assets/endpoints';
import { itemEndpoints } from './items/endpoints';
import { donationEndpoints } from './items/donations/endpoints';
import { packageEndpoints } from './items/packages/endpoints';
import { siteEndpoints } from './items/sites/endpoints';
import { type Pages } from './kit/pages/page';
import { routeTable } from './kit/routes';
import { mailEndpoints } from './mail/endpoints';
import { notificationEndpoints } from './notifications/endpoints';
import { consolePages } from './pages/console/pages';
import { mailedLinkEndpoints } from './pages/mailedLinks/endpoints';
import { paywallPages } from './pages/paywall/pages';
import { portalPages } from './pages/portal/pages';
import { paymentReturnEndpoints } from './pages/paymentReturn/endpoints';
import { sandboxAuthenticationEndpoints } from './pages/sandboxAuthentication/endpoints';
import { reportEndpoints } from './reports/endpoints';
import { reportScheduleEndpoints } from './reports/schedules/endpoints';
import { reportExportEndpoints } from './reports/exports/endpoints';
import { reportRowEndpoints } from './reports/rows/endpoints';
import { ageRestrictionEndpoints } from './restrictions/age/endpoints';
import { countrySetEndpoints } from './restrictions/countrySets/endpoints';
import { domainRestrictionEndpoints } from './restrictions/domains/endpoints';
import { geoSetEndpoints } from './restrictions/geoSets/endpoints';
import { restrictionSettingsEndpoints } from './restrictions/settings/endpoints';
import { authenticationEndpoints } from './subscriptions/authentications/endpoints';
import { subscriptionEndpoints } from './subscriptions/endpoints';
import { discountEndpoints } from './vouchers/discounts/endpoints';
import { voucherEndpoints } from './vouchers/endpoints';
import { giftEndpoints } from './vouchers/gifts/endpoints';
import { cardEndpoints } from './subscriptions/cards/endpoints';
import { subscriptionChangeEndpoints } from './subscriptions/changes/endpoints';
import { testClockEndpoints } from './testClock/endpoints';
import { historyEndpoints } from './subscriptions/histories/endpoints';
import { paymentEndpoints } from './subscriptions/payments/endpoints';
import { providerNotificationEndpoints } from './subscriptions/providerNotifications/endpoints';
import { receiptEndpoints } from './subscriptions/receipts/endpoints';
import { refundEndpoints } from './subscriptions/refunds/endpoints';
import { webhookDeliveryEndpoints } from './webhooks/deliveries/endpoints';
import { webhookEndpoints } from './webhooks/endpoints';

/** The table of contents: every endpoint of the service, one line a module, in mount order. */
export const endpoints = [
  accountEndpoints,
  detailEndpoints,
  activationEndpoints,
  passwordResetEndpoints,
  pinCodeEndpoints,
  registerFieldEndpoints,
  registeredUserEndpoints,
  tokenEndpoints,
  passwordEndpoints,
  oauthAppEndpoints,
  settingsEndpoints,
  mediaEndpoints,
  profileEndpoints,
  socialEndpoints,
  accessEndpoints,
  grantEndpoints,
  purchaseEndpoints,
  trialEndpoints,
  accessCodeEndpoints,
  itemMediaEndpoints,
  itemEndpoints,
  packageEndpoints,
  accessTypeEndpoints,
  accessFeeEndpoints,
  donationEndpoints,
  siteEndpoints,
  assetEndpoints,
  subscriptionEndpoints,
  externalPaymentEndpoints,
  storeNotificationEndpoints,
  storeEndpoints,
  discountEndpoints,
  giftEndpoints,
  voucherEndpoints,
  subscriptionChangeEndpoints,
  authenticationEndpoints,
  testClockEndpoints,
  paymentEndpoints,
  refundEndpoints,
  cardEndpoints,
  historyEndpoints,
  receiptEndpoints,
  providerNotificationEndpoints,
  notificationEndpoints,
  mailedLinkEndpoints,
  paymentReturnEndpoints,
  sandboxAuthenticationEndpoints,
  customerEndpoints,
  timelineEndpoints,
  followerEndpoints,
  impersonationEndpoints,
  externalAccountEndpoints,
  privacyEndpoints,
  dataCaptureEndpoints,
  platformKeyEndpoints,
  brandingEndpoints,
  ageRestrictionEndpoints,
  domainRestrictionEndpoints,
  countrySetEndpoints,
  geoSetEndpoints,
  restrictionSettingsEndpoints,
  featureEndpoints,
  auditEndpoints,
  reportEndpoints,
  reportRowEndpoints,
  reportExportEndpoints,
  reportScheduleEndpoints,
  analyticsEndpoints,
  mailEndpoints,
  webhookEndpoints,
  webhookDeliveryEndpoints,
  healthEndpoints,
];

export const routes = routeTable(endpoints);

/** Every page for people, one line a folder of `src/pages`. */
export const pages: readonly Pages[] = [paywallPages, portalPages, consolePages];
