{{- define "paywall.name" -}}
{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- define "paywall.labels" -}}
app.kubernetes.io/name: subscription-paywall
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "paywall.image" -}}
{{ .Values.image.name }}:{{ .Values.image.tag }}
{{- end }}

{{/* What every pod has in common: no rights, no token of the cluster, nothing to write to but /tmp. */}}
{{- define "paywall.pod" -}}
serviceAccountName: {{ include "paywall.name" . }}
automountServiceAccountToken: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "paywall.container" -}}
image: {{ include "paywall.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
envFrom:
  - configMapRef: { name: {{ include "paywall.name" . }} }
{{- end }}

{{- define "paywall.secretFiles" -}}
{{- range .Values.secrets.keys }}
- { name: {{ . }}_FILE, value: /run/secrets/app/{{ . }} }
{{- end }}
{{- end }}

{{- define "paywall.mounts" -}}
- { name: secrets, mountPath: /run/secrets/app, readOnly: true }
- { name: tmp, mountPath: /tmp }
{{- end }}

{{- define "paywall.volumes" -}}
- name: secrets
  secret: { secretName: {{ .Values.secrets.name }}, defaultMode: 0440 }
- name: tmp
  emptyDir: {}
{{- end }}

{{/* The pods of one program are on different nodes where that is possible. */}}
{{- define "paywall.spread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "paywall.labels" . | nindent 8 }}
{{- end }}
