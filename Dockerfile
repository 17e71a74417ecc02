# One image for the API, the worker and the one-shot jobs of docker-compose.yml. Debian, not Alpine: the native parts
# of @temporalio/core-bridge and @node-rs/argon2 are built for glibc.
FROM node:24.21.0-bookworm-slim AS base
WORKDIR /app
COPY package.json package-lock.json .npmrc ./

# The compiled program, and of the scripts those that an operator runs in a container. Install scripts stay off: no package needs one here (`node` would fetch a second Node).
FROM base AS build
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build \
  && find dist/scripts -mindepth 1 -maxdepth 1 ! -name 'paymentSimulator*' ! -name operators.js ! -name restored.js \
    ! -name erasures.js ! -name verifyAudit.js ! -name merchants.js ! -name encryptionKey.js ! -name messages.js \
    -exec rm -r {} +

# What runs. The workflow bundle is built above, so its compiler (swc) goes; so does the Temporal core of other platforms.
# Documents use one weight of most fonts, as WOFF (docs/decisions/0054-fonts-of-documents.md).
# webpack stays: @temporalio/worker loads it on import. Types, source maps, notes and comments of packages are for developers.
FROM base AS dependencies
COPY scripts/minifyPackages.mjs ./
RUN npm ci --omit=dev --ignore-scripts \
  && node minifyPackages.mjs node_modules \
  && rm -r node_modules/@swc/core* node_modules/swc-loader \
  && find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 \
    ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -r {} + \
  && find node_modules/@fontsource -type f ! -name '*-400-normal.woff' ! -name '*.json' ! -name LICENSE \
    ! -path '*/noto-sans/files/*-700-normal.woff' ! -path '*/noto-sans-arabic/files/*-700-normal.woff' \
    ! -path '*/noto-sans-hebrew/files/*-700-normal.woff' -delete \
  && rm node_modules/@fontsource/noto-sans-??/files/noto-sans-??-[a-z]* \
  && find node_modules -type f \( -name '*.map' -o -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.md' \) ! -iname 'licen*' -delete

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 MALLOC_ARENA_MAX=2 MALLOC_TRIM_THRESHOLD_=131072
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json ./
# The ledger of the sandbox, a volume of the test environment.
RUN mkdir -p /var/lib/payments && chown node:node /var/lib/payments
USER node
EXPOSE 8080 9464
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 8080) + '/health/live').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# The worker is the same image with the command `node dist/workers/main.js`.
CMD ["node", "dist/src/main.js"]
