import type * as CloudFrontSigner from '@aws-sdk/cloudfront-signer';
import { createPrivateKey, createSecretKey } from 'node:crypto';
import jsonwebtoken from 'jsonwebtoken';
import { lazily } from '../kit/lazily';

const cloudFrontSigner = lazily<typeof CloudFrontSigner>(require, '@aws-sdk/cloudfront-signer');

/** Tokens and signed addresses by which media platforms give a viewer access for a limited time. */

/** An HS256 token for one path of a media delivery API, under the merchant's secret there. */
export function signMediaToken(secret: string, resource: string, expiresAt: Date): string {
  const exp = Math.floor(expiresAt.getTime() / 1000);
  return jsonwebtoken.sign({ resource, exp }, createSecretKey(secret, 'utf8'), { algorithm: 'HS256' });
}

export interface CloudFrontKey {
  keyPairId: string;
  /** RSA, in PEM. */
  privateKey: string;
}

/** The address with CloudFront's signature (a canned policy: for this address only, until its expiry). */
export function signCloudFrontUrl({ keyPairId, privateKey }: CloudFrontKey, url: string, expiresAt: Date): string {
  return cloudFrontSigner().getSignedUrl({ url, keyPairId, privateKey, dateLessThan: expiresAt });
}

/** Whether a text is a private key of a kind that CloudFront supports: RSA of 2048 bits or more. */
export function isCloudFrontKey(text: string): boolean {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(text);
    return asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= 2048;
  } catch {
    return false;
  }
}
