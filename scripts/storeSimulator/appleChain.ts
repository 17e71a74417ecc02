import { X509Certificate } from 'node:crypto';
import { sign } from 'jsonwebtoken';
import { issueCertificate, newEcKeys, type KeyPair } from './certificates';

/** The extensions by which Apple's verifier recognises the certificates of the App Store. */
const intermediateMarker = '1.2.840.113635.100.6.2.1';
const leafMarker = '1.2.840.113635.100.6.11.1';

export interface AppleChain {
  root: Buffer;
  /** Leaf, intermediate, root, in base64. */
  x5c: string[];
  leafKeys: KeyPair;
  /** The keys above the leaf, for a second chain under the same root. */
  keys: { root: KeyPair; middle: KeyPair };
}

/**
 * Three certificates like Apple's own. The lower two have the extensions that mark certificates for receipt signing.
 * `leafUntil`: the end of the signing certificate's validity.
 */
export function createAppleChain(keys = { root: newEcKeys(), middle: newEcKeys() }, leafUntil?: Date): AppleChain {
  const root = { subject: '/C=US/O=Store simulator/CN=Simulated root', keys: keys.root };
  const middle = { subject: '/C=US/O=Store simulator/CN=Simulated intermediate', keys: keys.middle };
  const leafKeys = newEcKeys();
  const certificates = [
    issueCertificate({
      subject: '/C=US/O=Store simulator/CN=Simulated leaf',
      keys: leafKeys,
      issuer: middle,
      isAuthority: false,
      markers: [leafMarker],
      ...(leafUntil && { until: leafUntil }),
    }),
    issueCertificate({ ...middle, issuer: root, isAuthority: true, markers: [intermediateMarker] }),
    issueCertificate({ ...root, isAuthority: true }),
  ];
  const ders = certificates.map(({ pem }) => new X509Certificate(pem).raw);
  return { root: ders[2] ?? Buffer.alloc(0), x5c: ders.map((der) => der.toString('base64')), leafKeys, keys };
}

export function signJws(payload: object, { x5c, leafKeys }: AppleChain): string {
  return sign(payload, leafKeys.privateKey, {
    noTimestamp: true,
    algorithm: 'ES256',
    header: { alg: 'ES256', x5c: x5c as never },
  });
}
