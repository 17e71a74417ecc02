export interface AppleCredentials {
  bundleId: string;
  /** The app's number in App Store Connect. */
  appAppleId: number;
  /** The issuer of a key for the App Store Server API. */
  issuerId: string;
  keyId: string;
  /** PEM, PKCS #8. */
  privateKey: string;
}

export interface GooglePlayCredentials {
  packageName: string;
  /** The e-mail address of a service account that may read the app's orders. */
  clientEmail: string;
  /** PEM, PKCS #8, RSA. */
  privateKey: string;
  /** The service account that sends Pub/Sub's push notifications, and the audience in its tokens. */
  pushServiceAccount: string;
  pushAudience: string;
}

export interface AmazonCredentials {
  packageName: string;
  /** The developer account's secret. It is a part of Amazon's addresses, so these are never logged. */
  sharedSecret: string;
  /** The SNS topic of the real-time notifications. */
  topicArn: string;
}

export interface RokuCredentials {
  /** The partner account's key. It is a part of Roku's addresses, so these are never logged. */
  partnerApiKey: string;
  /** The app's id in the Channel Store, because one key may serve several apps. */
  channelId: string;
}

/** A merchant's credentials for a store. */
export type StoreCredentials =
  | { store: 'apple'; credentials: AppleCredentials }
  | { store: 'google-play'; credentials: GooglePlayCredentials }
  | { store: 'amazon'; credentials: AmazonCredentials }
  | { store: 'roku'; credentials: RokuCredentials };
