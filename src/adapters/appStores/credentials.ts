export interface AppleCredentials {
  bundleId: string;
  /** The app's number in App Store Connect. */
  appAppleId: number;
  /** Of a key for the App Store Server API. */
  issuerId: string;
  keyId: string;
  /** PEM, PKCS #8. */
  privateKey: string;
}

export interface GooglePlayCredentials {
  packageName: string;
  /** Of a service account that may see the app's orders. */
  clientEmail: string;
  /** PEM, PKCS #8, RSA. */
  privateKey: string;
  /** Who pushes: the service account of the Pub/Sub subscription, and the audience that it is set to. */
  pushServiceAccount: string;
  pushAudience: string;
}

export interface AmazonCredentials {
  packageName: string;
  /** Of the developer account. It stands in Amazon's addresses: they are never logged. */
  sharedSecret: string;
  /** The SNS topic that the real-time notifications come from. */
  topicArn: string;
}

export interface RokuCredentials {
  /** Of the partner account. It stands in Roku's addresses: they are never logged. */
  partnerApiKey: string;
  /** The app in the Channel Store: one key may serve several. */
  channelId: string;
}

/** What a merchant has of a store. */
export type StoreCredentials =
  | { store: 'apple'; credentials: AppleCredentials }
  | { store: 'google-play'; credentials: GooglePlayCredentials }
  | { store: 'amazon'; credentials: AmazonCredentials }
  | { store: 'roku'; credentials: RokuCredentials };
