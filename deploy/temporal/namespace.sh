#!/bin/sh
# Makes the namespace and the search attributes that the workflows write; what exists is left alone. A workflow that
# writes an attribute which is not registered fails its task for ever, so API and worker wait for this.
set -eu

# The server needs a moment to start, and some seconds more to learn of a new namespace.
eventually() {
  attempts=0
  until "$@"; do
    attempts=$((attempts + 1))
    if [ "$attempts" -ge 60 ]; then
      echo "gave up after two minutes: $*" >&2
      exit 1
    fi
    sleep 2
  done
}

attribute() {
  eventually temporal operator search-attribute create --namespace "$TEMPORAL_NAMESPACE" --name "$1" --type "$2"
}

eventually temporal operator cluster health
temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1 ||
  temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention "$RETENTION"

attribute PaywallMerchant Int
attribute PaywallItem Int
attribute PaywallState Keyword
attribute PaywallFailureReason Keyword
