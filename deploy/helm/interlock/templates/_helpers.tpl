{{- define "interlock.labels" -}}
app.kubernetes.io/name: interlock
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "interlock.image" -}}
{{ .Values.image.repository }}:{{ required "image.tag is needed: name the version that you want" .Values.image.tag }}
{{- end }}

{{- define "interlock.env" -}}
- name: INTERLOCK_ADDR
  value: {{ index .Values.settings "INTERLOCK_ADDR" | default "0.0.0.0:8080" | quote }}
- name: INTERLOCK_OPS_ADDR
  value: {{ index .Values.settings "INTERLOCK_OPS_ADDR" | default "0.0.0.0:9090" | quote }}
- name: INTERLOCK_DATA_DIR
  value: {{ index .Values.settings "INTERLOCK_DATA_DIR" | default "/data" | quote }}
{{- range $name, $value := .Values.settings }}
{{- if not (has $name (list "INTERLOCK_ADDR" "INTERLOCK_OPS_ADDR" "INTERLOCK_DATA_DIR")) }}
- name: {{ $name }}
  {{- /* Go writes a number from a million on as 1e+06, JSON does not. */}}
  value: {{ if kindIs "float64" $value }}{{ toJson $value | quote }}{{ else }}{{ $value | quote }}{{ end }}
{{- end }}
{{- end }}
{{- range $name, $from := .Values.secrets }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ $from.name | quote }}
      key: {{ $from.key | quote }}
{{- end }}
{{- end }}

{{- define "interlock.probe" -}}
port: http
scheme: {{ if index .Values.settings "INTERLOCK_TLS_CERT" }}HTTPS{{ else }}HTTP{{ end }}
{{- end }}

{{- define "interlock.port" -}}
{{ regexFind "[0-9]+$" . }}
{{- end }}

{{- define "interlock.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
capabilities:
  drop: [ALL]
{{- end }}

{{- define "interlock.pod" -}}
serviceAccountName: {{ .Release.Name }}-interlock
automountServiceAccountToken: false
terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
securityContext:
  fsGroup: 65532
  seccompProfile:
    type: RuntimeDefault
imagePullSecrets: {{ toYaml .Values.imagePullSecrets | nindent 2 }}
nodeSelector: {{ toYaml .Values.nodeSelector | nindent 2 }}
tolerations: {{ toYaml .Values.tolerations | nindent 2 }}
containers:
  - name: interlock
    image: {{ include "interlock.image" . | quote }}
    imagePullPolicy: {{ .Values.image.pullPolicy }}
    args: [serve]
    securityContext: {{ include "interlock.securityContext" . | nindent 6 }}
    env: {{ include "interlock.env" . | nindent 6 }}
    ports:
      - name: http
        containerPort: {{ include "interlock.port" (index .Values.settings "INTERLOCK_ADDR" | default "0.0.0.0:8080") }}
      - name: ops
        containerPort: {{ include "interlock.port" (index .Values.settings "INTERLOCK_OPS_ADDR" | default "0.0.0.0:9090") }}
    startupProbe:
      httpGet:
        path: /healthz
        {{- include "interlock.probe" . | nindent 8 }}
      periodSeconds: 2
      failureThreshold: 60
    livenessProbe:
      httpGet:
        path: /healthz
        {{- include "interlock.probe" . | nindent 8 }}
      periodSeconds: 10
      timeoutSeconds: 5
    readinessProbe:
      httpGet:
        path: /readyz
        {{- include "interlock.probe" . | nindent 8 }}
      periodSeconds: 5
      timeoutSeconds: 5
    resources: {{ toYaml .Values.resources | nindent 6 }}
    volumeMounts:
      - name: tmp
        mountPath: /tmp
      {{- if .Values.files }}
      - name: files
        mountPath: /etc/interlock
        readOnly: true
      {{- end }}
      {{- if eq .Values.mode "embedded" }}
      - name: data
        mountPath: /data
      {{- end }}
  {{- if and (eq .Values.mode "embedded") .Values.backup.claim }}
  # The volume of the data can be mounted by this pod only, so the backup runs in it.
  - name: backup
    image: {{ include "interlock.image" . | quote }}
    imagePullPolicy: {{ .Values.image.pullPolicy }}
    args: [backup, /backups, --every, 24h, --keep, {{ .Values.backup.keep | quote }}]
    securityContext: {{ include "interlock.securityContext" . | nindent 6 }}
    env: {{ include "interlock.env" . | nindent 6 }}
    volumeMounts:
      - name: tmp
        mountPath: /tmp
      - name: data
        mountPath: /data
      - name: backups
        mountPath: /backups
  {{- end }}
volumes:
  - name: tmp
    emptyDir: {}
  {{- if and (eq .Values.mode "embedded") .Values.backup.claim }}
  - name: backups
    persistentVolumeClaim:
      claimName: {{ .Values.backup.claim | quote }}
  {{- end }}
  {{- if .Values.files }}
  - name: files
    secret:
      secretName: {{ .Values.files | quote }}
  {{- end }}
{{- end }}
