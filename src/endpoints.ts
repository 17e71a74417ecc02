import { activationEndpoints } from './accounts/signIn/activation.endpoints';
import { detailEndpoints } from './accounts/details.endpoints';
import { accountEndpoints } from './accounts/accounts.endpoints';
import { passwordResetEndpoints } from './accounts/signIn/passwordReset.endpoints';
import { signInLinkEndpoints } from './accounts/signIn/signInLinks.endpoints';
import { pinCodeEndpoints } from './accounts/signIn/pinCodes.endpoints';
import { registerFieldEndpoints } from './accounts/registerFields.endpoints';
import { registeredUserEndpoints } from './accounts/registeredUsers.endpoints';
import { mediaEndpoints } from './accounts/media.endpoints';
import { profileEndpoints } from './accounts/profiles.endpoints';
import { oauthAppEndpoints } from './accounts/apps.endpoints';
import { passwordEndpoints } from './accounts/signIn/passwords.endpoints';
import { savedFilterEndpoints } from './savedFilters/savedFilters.endpoints';
import { settingsEndpoints } from './accounts/settings.endpoints';
import { socialEndpoints } from './accounts/signIn/social.endpoints';
import { identityEndpoints } from './accounts/signIn/identities.endpoints';
import { secondFactorEndpoints } from './accounts/secondFactors/secondFactors.endpoints';
import { pairingEndpoints } from './accounts/pairings/pairings.endpoints';
import { emailChangeEndpoints } from './accounts/emailChanges/emailChanges.endpoints';
import { passkeyEndpoints } from './accounts/passkeys/passkeys.endpoints';
import { companyEndpoints } from './accounts/company/company.endpoints';
import { staffEndpoints } from './accounts/staff/staff.endpoints';
import { sessionEndpoints } from './accounts/tokens/sessions.endpoints';
import { tokenEndpoints } from './accounts/tokens/tokens.endpoints';
import { timelineEndpoints } from './customers/timelines.endpoints';
import { customerEndpoints } from './customers/customers.endpoints';
import { importEndpoints } from './customers/imports/imports.endpoints';
import { externalAccountEndpoints } from './externalAccounts/externalAccounts.endpoints';
import { followerEndpoints } from './accounts/merchants/followers.endpoints';
import { impersonationEndpoints } from './accounts/signIn/impersonation.endpoints';
import { dataCaptureEndpoints } from './entitlements/dataCaptures.endpoints';
import { platformKeyEndpoints } from './accounts/merchants/platformKeys.endpoints';
import { privacyEndpoints } from './privacy/privacy.endpoints';
import { analyticsEndpoints } from './analytics/analytics.endpoints';
import { brandingEndpoints } from './branding/branding.endpoints';
import { imageEndpoints } from './images/images.endpoints';
import { externalPaymentEndpoints } from './externalPayments/externalPayments.endpoints';
import { storeNotificationEndpoints } from './externalPayments/notifications.endpoints';
import { storeEndpoints } from './stores/stores.endpoints';
import { featureEndpoints } from './features/features.endpoints';
import { auditEndpoints } from './audit/audit.endpoints';
import { healthEndpoints } from './health/health.endpoints';
import { accessCodeEndpoints } from './items/accessCodes.endpoints';
import { accessEndpoints } from './entitlements/entitlements.endpoints';
import { grantEndpoints } from './customers/grants.endpoints';
import { purchaseEndpoints } from './customers/purchases.endpoints';
import { trialEndpoints } from './entitlements/trials.endpoints';
import { itemMediaEndpoints } from './entitlements/media.endpoints';
import { accessFeeEndpoints } from './items/accessFees/accessFees.endpoints';
import { accessTypeEndpoints } from './items/accessTypes.endpoints';
import { assetEndpoints } from './items/assets.endpoints';
import { itemEndpoints } from './items/items.endpoints';
import { donationEndpoints } from './items/donations.endpoints';
import { packageEndpoints } from './items/packages.endpoints';
import { siteEndpoints } from './items/sites.endpoints';
import { type Pages } from './kit/pages/page';
import { routeTable } from './kit/routes';
import { mailEndpoints } from './mail/mail.endpoints';
import { mailTextEndpoints } from './mail/texts/texts.endpoints';
import { notificationEndpoints } from './notifications/notifications.endpoints';
import { operatorPages } from './pages/operator/pages';
import { consolePages } from './pages/console/pages';
import { cardLinkEndpoints } from './pages/cardLink.endpoints';
import { keepLinkEndpoints } from './pages/keepLink.endpoints';
import { reportLinkEndpoints } from './pages/reportLink.endpoints';
import { emailLinkEndpoints } from './pages/emailLinks.endpoints';
import { mailedLinkEndpoints } from './pages/mailedLinks.endpoints';
import { paywallPages } from './pages/paywall/pages';
import { portalPages } from './pages/portal/pages';
import { paymentConfirmationEndpoints } from './pages/paymentConfirmation.endpoints';
import { externalPaymentPages } from './pages/externalPayment.endpoints';
import { paymentLinkEndpoints } from './pages/paymentLink.endpoints';
import { paymentReturnEndpoints } from './pages/paymentReturn.endpoints';
import { sandboxAuthenticationEndpoints } from './pages/sandboxAuthentication.endpoints';
import { operatorEndpoints } from './operator/operator.endpoints';
import { billingDetailsEndpoints } from './tax/billingDetails.endpoints';
import { taxQuoteEndpoints } from './tax/taxQuotes.endpoints';
import { taxSettingsEndpoints } from './tax/taxSettings.endpoints';
import { unprovedSaleEndpoints } from './tax/unprovedSales.endpoints';
import { reportEndpoints } from './reports/reports.endpoints';
import { bookEndpoints } from './reports/books/books.endpoints';
import { datevEndpoints } from './reports/datev/datev.endpoints';
import { liabilityEndpoints } from './reports/liabilities.endpoints';
import { reportScheduleEndpoints } from './reports/schedules.endpoints';
import { reportExportEndpoints } from './reports/exports/exports.endpoints';
import { reportRowEndpoints } from './reports/rows.endpoints';
import { ageRestrictionEndpoints } from './restrictionSettings/age.endpoints';
import { countrySetEndpoints } from './restrictionSettings/countrySets.endpoints';
import { domainRestrictionEndpoints } from './restrictionSettings/domains.endpoints';
import { geoSetEndpoints } from './restrictionSettings/geoSets.endpoints';
import { restrictionSettingsEndpoints } from './restrictions/settings.endpoints';
import { authenticationEndpoints } from './subscriptions/authentications.endpoints';
import { subscriptionEndpoints } from './subscriptions/subscriptions.endpoints';
import { discountEndpoints } from './vouchers/discounts.endpoints';
import { voucherBatchEndpoints } from './vouchers/batches.endpoints';
import { voucherEndpoints } from './vouchers/vouchers.endpoints';
import { offeredFeeEndpoints } from './vouchers/feeRules.endpoints';
import { giftEndpoints } from './vouchers/gifts.endpoints';
import { cancelOfferEndpoints } from './subscriptions/cancelOffers/cancelOffers.endpoints';
import { cardEndpoints } from './subscriptions/cards.endpoints';
import { subscriptionChangeEndpoints } from './subscriptions/changes/changes.endpoints';
import { mandateEndpoints } from './subscriptions/methods/mandates.endpoints';
import { methodEndpoints } from './subscriptions/methods/methods.endpoints';
import { paypalEndpoints } from './subscriptions/paypal/paypal.endpoints';
import { unofferedEndpoints } from './subscriptions/methods/unoffered.endpoints';
import { testClockEndpoints } from './testClock/testClock.endpoints';
import { balanceEndpoints } from './subscriptions/balances/movements.endpoints';
import { historyEndpoints } from './subscriptions/histories.endpoints';
import { paymentEndpoints } from './subscriptions/payments/payments.endpoints';
import { disputeEndpoints } from './subscriptions/provider/disputes.endpoints';
import { differenceEndpoints } from './subscriptions/settlement/differences.endpoints';
import { providerAccountEndpoints } from './subscriptions/provider/providerAccounts.endpoints';
import { providerNotificationEndpoints } from './subscriptions/provider/providerNotifications.endpoints';
import { invoiceEndpoints } from './invoices/invoices.endpoints';
import { taxReportEndpoints } from './invoices/taxSums.endpoints';
import { receiptEndpoints } from './subscriptions/receipts.endpoints';
import { refundEndpoints } from './subscriptions/refunds/refunds.endpoints';
import { unmatchedEndpoints } from './subscriptions/provider/unmatched.endpoints';
import { webhookDeliveryEndpoints } from './webhooks/deliveries.endpoints';
import { webhookEndpoints } from './webhooks/webhooks.endpoints';

/** The table of contents: every endpoint of the service, one line a module, in mount order. */
export const endpoints = [
  accountEndpoints,
  detailEndpoints,
  activationEndpoints,
  passwordResetEndpoints,
  signInLinkEndpoints,
  pinCodeEndpoints,
  registerFieldEndpoints,
  registeredUserEndpoints,
  tokenEndpoints,
  sessionEndpoints,
  staffEndpoints,
  companyEndpoints,
  identityEndpoints,
  secondFactorEndpoints,
  pairingEndpoints,
  emailChangeEndpoints,
  passkeyEndpoints,
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
  offeredFeeEndpoints,
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
  voucherBatchEndpoints,
  subscriptionChangeEndpoints,
  cancelOfferEndpoints,
  authenticationEndpoints,
  testClockEndpoints,
  paymentEndpoints,
  refundEndpoints,
  unmatchedEndpoints,
  cardEndpoints,
  methodEndpoints,
  mandateEndpoints,
  paypalEndpoints,
  unofferedEndpoints,
  balanceEndpoints,
  historyEndpoints,
  receiptEndpoints,
  invoiceEndpoints,
  taxReportEndpoints,
  unprovedSaleEndpoints,
  taxSettingsEndpoints,
  taxQuoteEndpoints,
  billingDetailsEndpoints,
  disputeEndpoints,
  differenceEndpoints,
  providerAccountEndpoints,
  providerNotificationEndpoints,
  notificationEndpoints,
  mailedLinkEndpoints,
  emailLinkEndpoints,
  paymentConfirmationEndpoints,
  paymentLinkEndpoints,
  cardLinkEndpoints,
  keepLinkEndpoints,
  reportLinkEndpoints,
  externalPaymentPages,
  paymentReturnEndpoints,
  sandboxAuthenticationEndpoints,
  customerEndpoints,
  importEndpoints,
  timelineEndpoints,
  followerEndpoints,
  impersonationEndpoints,
  externalAccountEndpoints,
  privacyEndpoints,
  dataCaptureEndpoints,
  platformKeyEndpoints,
  brandingEndpoints,
  imageEndpoints,
  ageRestrictionEndpoints,
  domainRestrictionEndpoints,
  countrySetEndpoints,
  geoSetEndpoints,
  restrictionSettingsEndpoints,
  featureEndpoints,
  auditEndpoints,
  savedFilterEndpoints,
  reportEndpoints,
  liabilityEndpoints,
  bookEndpoints,
  reportRowEndpoints,
  datevEndpoints,
  reportExportEndpoints,
  reportScheduleEndpoints,
  analyticsEndpoints,
  mailEndpoints,
  mailTextEndpoints,
  webhookEndpoints,
  webhookDeliveryEndpoints,
  operatorEndpoints,
  healthEndpoints,
];

export const routes = routeTable(endpoints);

/** Every page for people, one line a folder of `src/pages`. */
export const pages: readonly Pages[] = [paywallPages, portalPages, consolePages, operatorPages];
