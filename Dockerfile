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

# The root folder of the image: the program `node`, the C libraries that it and the packages load, their licences, accounts, and
# the certificate authorities, which Temporal's client reads from a file. No shell and no package manager.
FROM base AS system
COPY --from=dependencies /app/node_modules /image/app/node_modules
COPY --from=build /app/dist /image/app/dist
COPY package.json /image/app/
RUN { echo /usr/local/bin/node; find /image/app/node_modules -type f \( -name '*.node' -o -name '*.so*' \); } | xargs ldd \
    | awk '$(NF-1) ~ "^/(usr/)?lib" { print $(NF-1) }' | sort -u | xargs cp -L --parents -t /image \
  && cp --parents -t /image /usr/share/doc/libc6/copyright /usr/share/doc/gcc-*-base/copyright \
  && cp --parents -t /image /usr/local/bin/node /usr/local/LICENSE \
  && mkdir -p /image/tmp /image/etc/ssl/certs /image/var/lib/payments \
  && chmod 1777 /image/tmp \
  && chown 1000:1000 /image/var/lib/payments \
  && echo 'root:x:0:0::/:\nnode:x:1000:1000::/tmp:' >/image/etc/passwd \
  && echo 'root:x:0:\nnode:x:1000:' >/image/etc/group \
  && echo 'hosts: files dns' >/image/etc/nsswitch.conf \
  && node -p "tls.rootCertificates.join('\n')" >/image/etc/ssl/certs/ca-certificates.crt

FROM scratch
ENV PATH=/usr/local/bin NODE_ENV=production HOST=0.0.0.0 MALLOC_ARENA_MAX=2 MALLOC_TRIM_THRESHOLD_=131072
WORKDIR /app
COPY --from=system /image /
USER 1000:1000
EXPOSE 8080 9464
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 8080) + '/health/live').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# The worker is the same image with the command `node dist/workers/main.js`.
CMD ["node", "dist/src/main.js"]
