import type * as AppleModule from './apple';
import type * as AppleNotificationModule from './appleNotification';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { config } from '../../config';
import { lazily } from '../../kit/lazily';
import { createAmazon } from './amazon';
import { amazonApp } from './amazonNotification';
import { appleRootCaG3 } from './appleRootCa';
import { createGooglePlay } from './googlePlay';
import { googlePlayApp } from './googlePlayNotification';
import { type StoreCredentials } from './credentials';
import { createRoku } from './roku';
import { rokuApp } from './rokuNotification';
import { type AppStore, type StoreName } from './store';

const apple = lazily<typeof AppleModule>(require, './apple');
const appleNotification = lazily<typeof AppleNotificationModule>(require, './appleNotification');

const defaultTimeoutMs = 10_000;

/** A store with one merchant's credentials, at the addresses of the settings. */
export function openStore(given: StoreCredentials, timeoutMs = defaultTimeoutMs): AppStore {
  switch (given.store) {
    case 'apple':
      return apple().createApple(given.credentials, {
        rootCertificates: rootCertificates(),
        apiBase: config.APPLE_API_BASE,
        timeoutMs,
      });
    case 'google-play':
      return createGooglePlay(given.credentials, {
        apiBase: config.GOOGLE_API_BASE,
        tokenUrl: config.GOOGLE_TOKEN_URL,
        keysUrl: config.GOOGLE_KEYS_URL,
        timeoutMs,
      });
    case 'amazon':
      return createAmazon(given.credentials, {
        apiBase: config.AMAZON_API_BASE,
        certificateBase: config.AMAZON_CERTIFICATE_BASE,
        timeoutMs,
      });
    case 'roku':
      return createRoku(given.credentials, { apiBase: config.ROKU_API_BASE, keysUrl: config.ROKU_KEYS_URL, timeoutMs });
  }
}

/**
 * The app that a notification names, before anything of it is verified. A message of Amazon's topic may name only the
 * topic.
 */
export function claimedApp(store: StoreName, body: Buffer): { app?: string | undefined; topic?: string | undefined } {
  switch (store) {
    case 'apple':
      return { app: appleNotification().appleApp(body) };
    case 'google-play':
      return { app: textOf(googlePlayApp(body)) };
    case 'amazon': {
      const { packageName, topicArn } = amazonApp(body);
      return { app: textOf(packageName), topic: textOf(topicArn) };
    }
    case 'roku':
      return { app: rokuApp(body) };
  }
}

/** Nothing in an unverified notification is certain, not even the types. */
const textOf = (claimed: unknown): string | undefined => (typeof claimed === 'string' ? claimed : undefined);

/** The app of the credentials, as the store's notifications name it. */
export function appOf({ store, credentials }: StoreCredentials): { app: string; topic: string | null } {
  switch (store) {
    case 'apple':
      return { app: credentials.bundleId, topic: null };
    case 'google-play':
      return { app: credentials.packageName, topic: null };
    case 'amazon':
      return { app: credentials.packageName, topic: credentials.topicArn };
    case 'roku':
      return { app: credentials.channelId, topic: null };
  }
}

let readCertificates: Buffer[] | undefined;

/** The root certificates for Apple's signatures, as DER. They are read once. */
function rootCertificates(): Buffer[] {
  const path = config.APPLE_ROOT_CERTIFICATES;
  readCertificates ??= readRoots(path === undefined ? appleRootCaG3 : readFileSync(path, 'utf8'));
  return readCertificates;
}

/** One or more certificates in PEM. */
function readRoots(text: string): Buffer[] {
  const pems = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return pems.map((pem) => new X509Certificate(pem).raw);
}
