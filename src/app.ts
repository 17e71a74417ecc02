import { createHmac } from 'node:crypto';
import { type Server } from 'node:http';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import compression from 'compression';
import express from 'express';
import { writeSessionUses } from './accounts/tokens/sessionUses';
import { recordActing } from './accounts/signIn/impersonation';
import { findSignedIn } from './accounts/accounts';
import { refuseClosed } from './accounts/merchants/states';
import { requireRecentFactor } from './accounts/secondFactors/recentFactors';
import { answerMailRequests } from './accounts/signIn/mailedTokens';
import {
  confirmSessions,
  forgetAccount,
  forgetAllSessions,
  forgetSession,
  forgetTenant,
  getCaller,
  getChannelCaller,
  listDeadSessions,
} from './accounts/tokens/callers';
import { publishHeads } from './audit/heads';
import { recordRefusal } from './audit/refusals';
import { gaugeCertificates } from './adapters/certificates';
import { codecServer } from './adapters/codecServer';
import { dataKey } from './adapters/dataKey';
import { logger } from './adapters/logger';
import { closeMailer } from './adapters/mailer';
import { gaugeQueues, gaugeRuns } from './adapters/metrics';
import { OutboxRelay } from './adapters/outbox';
import { forgetAllPayloadKeys, forgetPayloadKey } from './adapters/payloadKeys';
import { counterStore } from './adapters/postgres/counterStore';
import { idempotencyStore } from './adapters/postgres/idempotencyStore';
import { Listener } from './adapters/postgres/listen';
import { withinMerchant } from './adapters/postgres/requestWork';
import { startRetention } from './privacy/retention';
import { ownHost, requestLimits } from './adapters/settings';
import { PeriodicTask } from './adapters/periodicTask';
import { gaugeSockets, observeRequest } from './adapters/processMetrics';
import { countQueues } from './adapters/queueCounts';
import { countRuns } from './adapters/runCounts';
import { type SocketChannels } from './adapters/socketChannels';
import { SocketLimits } from './adapters/socketLimits';
import { NotificationSockets } from './adapters/sockets';
import { config } from './config';
import { pages, routes } from './endpoints';
import { listFeaturesOff, listMerchantsWithout } from './features/features';
import { forgetAllItems, forgetItem } from './entitlements/checkedItems';
import { type Caller } from './kit/auth';
import { AppError } from './kit/errors';
import { commonHeaders, headersOfAnswers, endpoints, limitDocuments, mountUnmatched } from './kit/http';
import { Idempotency } from './kit/idempotency';
import { type ApiFacts, openApiDocument } from './kit/openapi';
import { mountUnknownPages, mountPages, tokenOfPage } from './kit/pages/serve';
import { type KitDependencies } from './kit/dependencies';
import { readSecureHeaders } from './kit/secureHeaders';
import { RateLimiter } from './kit/rateLimit';
import { type Certificate, createHttpServer } from './kit/server';
import { deliverMails } from './mail/delivery';
import {
  lastPlaces,
  mayReadContent,
  presentForClient,
  readEvents,
  withoutContent,
} from './notifications/notifications';
import { pageAssets } from './pages/layout/assets';
import { askForConfirmation, giveConfirmation } from './pages/customer/confirmation';
import { foreignPage } from './pages/layout/content';
import { errorPage } from './pages/layout/page';
import { referencePages } from './pages/reference/reference';
import { recogniseAll } from './reports/books/books';
import { foldFigures } from './reports/figures';
import { forgetAllRestrictions, forgetRestrictions } from './restrictions/rules';
import { registerRooms } from './registrations';

export interface App {
  server: Server;
  /** The same over TLS, with the certificate of the settings. */
  tlsServer: Server | undefined;
  /** Listens for changes of other replicas, and sends the messages in the outbox. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const mailsEveryMs = 500;
const figuresEveryMs = 5_000;
const booksEveryMs = 3_600_000;
const sessionUsesEveryMs = 15_000;
const auditHeadsEveryMs = 60_000;

const origin = new URL(config.BASE_URL).origin;

/** Hands the adapters to the kit and mounts the endpoints. */
export function createApp(): App {
  registerRooms();
  const rateLimiter = new RateLimiter(counterStore);
  const handler = createExpress(rateLimiter);
  const server = createHttpServer(handler);
  const certificate = readCertificate();
  const tlsServer = certificate && createHttpServer(handler, certificate);
  const servers = [server, ...(tlsServer ? [tlsServer] : [])];
  const sockets = openSockets(servers, limitSockets(rateLimiter));
  gaugeSockets(() => sockets.count());
  gaugeRuns(countRuns);
  gaugeQueues(countQueues);
  gaugeCertificates();
  const listener = listenToReplicas(sockets.channels);
  const tasks = [
    new OutboxRelay(),
    new PeriodicTask('mails', mailsEveryMs, async () => {
      await answerMailRequests();
      await deliverMails();
    }),
    new PeriodicTask('session uses', sessionUsesEveryMs, writeSessionUses),
    new PeriodicTask('figures', figuresEveryMs, foldFigures),
    new PeriodicTask('books', booksEveryMs, recogniseAll),
    new PeriodicTask('audit heads', auditHeadsEveryMs, publishHeads),
  ];
  const retention = startRetention();
  return {
    server,
    tlsServer,
    start: async () => {
      await listener.start();
      sockets.start();
      for (const task of tasks) task.start();
    },
    stop: async () => {
      clearInterval(retention);
      rateLimiter.stop();
      const closed = Promise.all(servers.map((each) => new Promise((resolve) => each.close(resolve))));
      sockets.close();
      // A connection that was busy when the server closed becomes idle and is kept alive after its response.
      const sweep = setInterval(() => servers.forEach((each) => each.closeIdleConnections()), 50);
      await Promise.all([closed, listener.stop(), ...tasks.map((task) => task.stop())]);
      closeMailer();
      clearInterval(sweep);
    },
  };
}

function readCertificate(): Certificate | undefined {
  const { TLS_CERT, TLS_KEY } = config;
  if (TLS_CERT === undefined || TLS_KEY === undefined) return undefined;
  return { cert: readFileSync(TLS_CERT), key: readFileSync(TLS_KEY) };
}

function limitSockets(rateLimiter: RateLimiter): SocketLimits {
  return new SocketLimits(rateLimiter, {
    perAccount: config.SOCKETS_PER_ACCOUNT,
    perAddress: config.SOCKETS_PER_ADDRESS,
    perMinute: config.RATE_LIMIT_NORMAL,
  });
}

function openSockets(servers: readonly Server[], limits: SocketLimits): NotificationSockets {
  const sockets = new NotificationSockets({
    authenticate: getCallerInPerson,
    authenticateChannel: getChannelCaller,
    listDeadSessions,
    presentForClient,
    mayReadContent,
    withoutContent,
    tokenOfPage: (request, merchantUuid) => tokenOfPage({ origin }, request, merchantUuid),
    clientAddress: (request) => (request as express.Request).ip ?? '',
    limits,
    readEvents,
    lastPlaces,
    listTurnedOff: (merchantIds) => listMerchantsWithout('push', merchantIds),
  });
  for (const server of servers)
    server.on('upgrade', (request, stream, head) => void sockets.upgrade(request, stream, head));
  return sockets;
}

/** A caller that acts as another account gets no notifications of that account. */
async function getCallerInPerson(token: string | undefined, clientAddress: string): Promise<Caller> {
  const caller = await getCaller(token, clientAddress);
  if (caller.actorUuid !== undefined) throw new AppError('invalid_auth_token');
  return caller;
}

/** Operators work for the whole installation. */
const withinMerchantOf = <T>(caller: Caller | undefined, run: () => T): T =>
  caller && caller.role !== 'operator' ? withinMerchant(caller.merchantId, run) : run();

function createExpress(rateLimiter: RateLimiter): express.Express {
  const secureHeaders = readSecureHeaders({ isHttps: origin.startsWith('https:') });
  const parts: KitDependencies = {
    authenticate: getCaller,
    requireRecentFactor,
    recordActing,
    withinMerchantOf,
    featuresOff: listFeaturesOff,
    rateLimiter,
    limits: requestLimits,
    idempotency: new Idempotency(idempotencyStore, dataKey()),
    logger,
    checkAnswers: config.NODE_ENV === 'test',
    refused: recordRefusal,
    observe: observeRequest,
    ownHost,
    headers: headersOfAnswers(secureHeaders),
  };
  const app = express();
  app.disable('x-powered-by').disable('etag');
  app.set('trust proxy', config.TRUSTED_PROXIES);
  app.use(endpoints(routes, parts));
  app.use((_request, response, next) => {
    response.set(secureHeaders);
    next();
  });
  // Answers of endpoints are not compressed: they are small, and contain tokens beside texts of the caller.
  app.use(compression());
  app.use(['/openapi.json', '/docs'], limitDocuments(parts));
  app.get('/openapi.json', commonHeaders(parts), sendDocument);
  app.use(referencePages(routes, apiFacts));
  app.use(codecServer());
  app.use(pageAssets(config.PAGE_SCRIPTS ?? join(__dirname, 'pages', 'browser')));
  mountAllPages(app, parts);
  mountUnmatched(app, routes, parts);
  return app;
}

function mountAllPages(app: express.Express, parts: KitDependencies): void {
  const pageParts = {
    ...parts,
    origin,
    key: createHmac('sha256', dataKey()).update('pages').digest(),
    allowsPlainPictures: config.ENVIRONMENT === 'test',
    findSignedIn,
    refuseClosed,
    confirmations: { ask: askForConfirmation, give: giveConfirmation },
    frameForeign: foreignPage,
    showError: errorPage,
  };
  mountPages(app, pages, pageParts);
  mountUnknownPages(app, pages, pageParts);
}

const apiFacts: ApiFacts = {
  title: 'Subscription paywall',
  version: '1',
  description: 'Sell access to digital items: accounts, catalogue, subscriptions, access and notifications.',
};

/** The document, created at the first request: it is rarely requested, and takes some megabytes. */
let packedDocument: Buffer | undefined;

/** Nearly every client reads a packed document, which is a tenth as long. */
function sendDocument(request: express.Request, response: express.Response): void {
  packedDocument ??= gzipSync(describeApi());
  response.type('json').vary('Accept-Encoding');
  if (request.acceptsEncodings('gzip')) response.set('Content-Encoding', 'gzip').send(packedDocument);
  else response.send(gunzipSync(packedDocument).toString());
}

function describeApi(): string {
  return JSON.stringify(openApiDocument(routes, apiFacts));
}

/**
 * Drops from the caches what other replicas have changed. After a new connection all caches are cleared, because
 * notifications may be lost.
 */
function listenToReplicas(channels: SocketChannels): Listener {
  const listener = new Listener();
  listener.on('events', (merchantId) => channels.wake(Number(merchantId)));
  // Without an id: something that many items show has changed.
  listener.on('items', (itemId) => (itemId === '' ? forgetAllItems() : forgetItem(Number(itemId))));
  listener.on('restrictions', (merchantId) => forgetRestrictions(Number(merchantId)));
  listener.on('sessions', (sessionId) => {
    forgetSession(sessionId);
    void channels.endSession(sessionId);
  });
  listener.on('accounts', (accountId) => {
    forgetAccount(Number(accountId));
    channels.recheckAccount(Number(accountId));
  });
  listener.on('account_states', (accountId) => forgetAccount(Number(accountId)));
  listener.on('merchant_states', (merchantId) => {
    forgetTenant(Number(merchantId));
    void channels.endDeadSessions().then(() => channels.recheckPeople(Number(merchantId)));
  });
  listener.on('payload_keys', forgetPayloadKey);
  listener.onHeard(confirmSessions);
  listener.onConnect(() => {
    forgetAllPayloadKeys();
    forgetAllSessions();
    void channels.endDeadSessions();
    forgetAllItems();
    forgetAllRestrictions();
  });
  return listener;
}
