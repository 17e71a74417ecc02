import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import http2 from 'node:http2';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { issueCertificate, newEcKeys, type KeyPair } from '../../scripts/storeSimulator/certificates';

/** A gateway in front of the Temporal server that requires TLS, a client certificate and an API key. */
export interface SecuredTemporal {
  address: string;
  /** The settings with which the product may connect. */
  settings: Record<string, string>;
  /** Requests that were refused because of their API key. */
  refusals(): number;
  stop(): Promise<void>;
}

const serverName = 'temporal.test';
const apiKey = 'a-key-of-this-test';
const unauthenticated = '16';

export async function startSecuredTemporal(): Promise<SecuredTemporal> {
  const files = writeCertificates();
  const upstream = http2.connect(`http://${process.env['TEST_TEMPORAL_ADDRESS'] ?? ''}`);
  let refusals = 0;
  const { authority, server: own } = files;
  const server = http2.createSecureServer({
    cert: own.certificate,
    key: own.key,
    ca: authority,
    requestCert: true,
    rejectUnauthorized: true,
  });
  const sessions = new Set<http2.Http2Session>();
  server.on('session', (session) => void sessions.add(session));
  server.on('tlsClientError', () => undefined);
  server.on('stream', (stream, headers) => {
    if (headers.authorization === `Bearer ${apiKey}`) return void forward(upstream, stream, headers);
    refusals += 1;
    const answer = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': unauthenticated };
    stream.respond(answer, { endStream: true });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    settings: { ...files.settings, TEMPORAL_TLS_SERVER_NAME: serverName, TEMPORAL_API_KEY: apiKey },
    refusals: () => refusals,
    stop: async () => {
      for (const session of sessions) session.destroy();
      upstream.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Forwards a call and its answer, with the trailers that contain the outcome in gRPC. */
function forward(
  upstream: http2.ClientHttp2Session,
  stream: http2.ServerHttp2Stream,
  headers: http2.IncomingHttpHeaders,
) {
  const call = upstream.request({ ...headers, ':scheme': 'http' });
  let trailers: http2.OutgoingHttpHeaders = {};
  call.on('trailers', (received: http2.IncomingHttpHeaders) => void (trailers = received));
  call.on('response', (answer) => {
    const isOver = answer['grpc-status'] !== undefined;
    stream.respond(answer, { endStream: isOver, waitForTrailers: !isOver });
    if (!isOver) call.pipe(stream);
  });
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  stream.pipe(call);
  stream.on('close', () => call.close(http2.constants.NGHTTP2_CANCEL));
  for (const one of [stream, call]) one.on('error', () => undefined);
}

function writeCertificates() {
  const root = { subject: '/CN=Test authority', keys: newEcKeys() };
  const folder = mkdtempSync(join(process.env['TEST_DATA_DIR'] ?? '', 'tls-'));
  const authority = issueCertificate({ ...root, isAuthority: true }).pem;
  const issue = (subject: string, keys: KeyPair, host?: string) =>
    issueCertificate({
      subject,
      keys,
      issuer: root,
      isAuthority: false,
      ...(host !== undefined && { alternativeNames: [{ dns: host }] }),
    }).pem;
  const [serverKeys, clientKeys] = [newEcKeys(), newEcKeys()];
  const write = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  return {
    authority,
    server: { certificate: issue(`/CN=${serverName}`, serverKeys, serverName), key: serverKeys.privateKey },
    settings: {
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: write('authority.pem', authority),
      TEMPORAL_TLS_CLIENT_CERT_PATH: write('client.pem', issue('/CN=paywall', clientKeys)),
      TEMPORAL_TLS_CLIENT_KEY_PATH: write('client.key', clientKeys.privateKey),
    },
  };
}
