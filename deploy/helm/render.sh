#!/bin/sh
# Renders the chart to deploy/kubernetes: `npm run manifests`. It needs the program `helm` 3.
set -eu
export LC_ALL=C

chart=$(cd "$(dirname "$0")" && pwd)
out=${1:-$chart/../kubernetes}
mkdir -p "$out"
# A test compares this sum with the files of the chart, so that a change of the chart without new manifests is found.
sum=$(cd "$chart" && cat Chart.yaml values.yaml everything.values.yaml templates/* | sha256sum | cut -d ' ' -f 1)

render() {
  file=$1
  shift
  {
    echo "# Rendered from deploy/helm by \`npm run manifests\`. Do not change it by hand. Chart: $sum"
    helm template paywall "$chart" --namespace paywall --kube-version 1.30.0 "$@"
  } >"$out/$file"
}

render paywall.yaml
render everything.yaml --values "$chart/everything.values.yaml"
